#!/usr/bin/env python3
"""Writes the small files of tests/data with the libraries of others, and beside each what these libraries say of it. CI compares what simreel
reads without having them.

  python3 -m venv env && env/bin/pip install numpy h5py netCDF4 xarray vtk && env/bin/python tests/data/make.py tests/data
"""

import os
import sys

import h5py
import netCDF4
import numpy as np
import xarray as xr

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
path = lambda name: os.path.join(folder, name)


def say(name, values):
    """The values that are to be drawn, as a plain .npy of doubles [step][y][x], row 0 below."""
    np.save(path(name), np.asarray(values, dtype="<f8"))


# xarray: packed integers with a fill value, latitudes that fall, time as days since a date.
lat, lon, time = np.array([60.0, 40.0, 20.0]), np.arange(5) * 10.0, np.array([0, 1, 3], "f8")
sst = 10 + np.arange(45.0).reshape(3, 3, 5) / 4
sst[1, 1, 2] = np.nan
data = xr.Dataset({"sst": (("time", "lat", "lon"), sst, {"units": "degC"})},
                  {"time": ("time", time, {"units": "days since 2000-01-01"}), "lat": lat, "lon": lon})
data.to_netcdf(path("xarray.nc"), engine="netcdf4",
               encoding={"sst": {"dtype": "i2", "scale_factor": 0.25, "add_offset": 10.0, "_FillValue": -32768, "zlib": True}})
say("xarray.npy", sst[:, ::-1])

# netCDF4: a group, an unlimited time axis, four dimensions.
with netCDF4.Dataset(path("netcdf4.nc"), "w") as f:
    g = f.createGroup("run")
    for name, size in ("time", None), ("lev", 2), ("y", 3), ("x", 4):
        g.createDimension(name, size)
    t = g.createVariable("time", "f8", ("time",))
    t.units = "s"
    v = g.createVariable("w", "f4", ("time", "lev", "y", "x"), zlib=True, chunksizes=(1, 1, 3, 4))
    values = np.arange(48, dtype="f4").reshape(2, 2, 3, 4)
    v[:] = values
    t[:] = [0.5, 1.5]
say("netcdf4.npy", values[:, 1])

# h5py: big-endian, chunked over time, packed with shuffle and deflate.
with h5py.File(path("h5py.h5"), "w") as f:
    values = np.arange(36, dtype=">f8").reshape(3, 3, 4) ** 2
    f.create_dataset("fields/vorticity", data=values, chunks=(2, 3, 2), compression="gzip", shuffle=True)
    f["times"] = [1.0, 2.0, 4.0]
say("h5py.npy", values)

# Layout of a Gadget snapshot: two kinds, one mass in the table, ids in another order.
with h5py.File(path("gadget.hdf5"), "w") as f:
    h = f.create_group("Header")
    h.attrs["Time"], h.attrs["BoxSize"], h.attrs["NumFilesPerSnapshot"] = 0.25, 10.0, 1
    h.attrs["MassTable"] = np.array([0, 0.5, 0, 0, 0, 0])
    h.attrs["NumPart_ThisFile"] = np.array([2, 3, 0, 0, 0, 0])
    gas, dark = f.create_group("PartType0"), f.create_group("PartType1")
    gas["Coordinates"] = np.array([[1, 2, 3], [4, 5, 6]], "f4")
    gas["Velocities"] = np.array([[0.1, 0, 0], [0, 0.2, 0]], "f4")
    gas["Masses"] = np.array([2, 3], "f4")
    gas["ParticleIDs"] = np.array([7, 3], "u4")
    dark["Coordinates"] = np.array([[9, 8, 7], [6, 5, 4], [3, 2, 1]], "f4")
    dark["Velocities"] = np.zeros((3, 3), "f4")
    dark["ParticleIDs"] = np.array([2, 9, 1], "u4")
rows = [[1, 2, 3, 0.1, 0, 0, 2], [4, 5, 6, 0, 0.2, 0, 3], [9, 8, 7, 0, 0, 0, 0.5], [6, 5, 4, 0, 0, 0, 0.5], [3, 2, 1, 0, 0, 0, 0.5]]
np.save(path("gadget.npy"), np.array(rows, "f4").astype("<f8"))

# VTK's own writer: appended raw, appended base64 and inline, packed and not, with headers of 32 and 64 bits, in small blocks and in one of the
# usual size, which is larger than the array.
try:
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk
except ImportError:
    sys.exit("without vtk: the .vti files are left as they are")
image = vtk.vtkImageData()
image.SetDimensions(4, 3, 1)
image.SetSpacing(1, 2, 1)
values = np.arange(12, dtype="f4").reshape(3, 4) / 8
array = numpy_to_vtk(values.ravel(), deep=True)
array.SetName("rho")
image.GetPointData().AddArray(array)
for name, mode, encoded, packed, wide in (("raw", "Appended", 0, 0, 0), ("appended", "Appended", 1, 1, 1), ("inline", "Binary", 0, 1, 0),
                                          ("plain", "Binary", 0, 0, 1), ("rawzlib", "Appended", 0, 1, 1), ("oneblock", "Binary", 0, 1, 1)):
    writer = vtk.vtkXMLImageDataWriter()
    writer.SetFileName(path(f"vtk_{name}.vti"))
    writer.SetInputData(image)
    getattr(writer, f"SetDataModeTo{mode}")()
    writer.SetEncodeAppendedData(encoded)
    if name != "oneblock":
        writer.SetBlockSize(32)
    writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.Write()

# VTK's legacy format: a time and a cycle of the file as a whole, then arrays of its points, with names of components.
vector = numpy_to_vtk(np.arange(36, dtype="f4").reshape(12, 3) / 8, deep=True)
vector.SetName("vel")
vector.SetComponentName(0, "X")
image.GetPointData().AddArray(vector)
for name, values in ("TIME", np.array([2.5])), ("CYCLE", np.array([7], "i4")):
    single = numpy_to_vtk(values, deep=True)
    single.SetName(name)
    single.SetComponentName(0, "s")
    image.GetFieldData().AddArray(single)
points = vtk.vtkImageToStructuredPoints()
points.SetInputData(image)
points.Update()
writer = vtk.vtkStructuredPointsWriter()
writer.SetFileName(path("vtk_field.vtk"))
writer.SetFileTypeToBinary()
writer.SetInputData(points.GetOutput())
writer.Write()
