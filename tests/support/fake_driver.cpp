// A library in the place of NVIDIA's driver, libcuda.so.1, as CUDA's runtime finds it where the driver is too old: it
// says which CUDA it supports, 12.4, and that is all the runtime asks.

extern "C" int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}
