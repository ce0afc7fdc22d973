"""Pictures of a result file, from the file alone: tilewright report FILE --pictures FOLDER."""
