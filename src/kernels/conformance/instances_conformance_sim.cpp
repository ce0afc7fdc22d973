// The conformance cases once more, for the simulator.
#include "kernels/conformance/instances_conformance.cu"
#include "kernels/conformance/instances_conformance_sm90.cu"
