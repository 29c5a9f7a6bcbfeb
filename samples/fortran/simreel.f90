! simreel's C interface for Fortran: what a program needs that writes fields as videos. include/simreel/simreel.h says what each does.
module simreel
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: video_open, video_write, video_close

  type, bind(c) :: simreel_array
    integer(c_size_t) :: struct_size
    type(c_ptr) :: data
    integer(c_int32_t) :: number_type, axes
    type(c_ptr) :: shape, strides
    integer(c_int32_t) :: memory
    type(c_ptr) :: name
  end type

  integer(c_int32_t), parameter :: float64 = 2, host = 0

  interface
    function simreel_video_open(outputs, count, view, device, error) bind(c)
      import
      type(c_ptr), intent(in) :: outputs(*)
      integer(c_size_t), value :: count
      character(kind=c_char), intent(in) :: view(*)
      type(c_ptr), value :: device
      type(c_ptr), intent(out) :: error
      type(c_ptr) :: simreel_video_open
    end function
    integer(c_int) function simreel_video_write(video, field, time, error) bind(c)
      import
      type(c_ptr), value :: video
      type(simreel_array), intent(in) :: field
      real(c_double), value :: time
      type(c_ptr), intent(out) :: error
    end function
    integer(c_int) function simreel_video_close(video, result, error) bind(c)
      import
      type(c_ptr), value :: video, result
      type(c_ptr), intent(out) :: error
    end function
    type(c_ptr) function simreel_error_message(error) bind(c)
      import
      type(c_ptr), value :: error
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! A video in the file `output`; `view` is TOML.
  type(c_ptr) function video_open(output, view)
    character(*), intent(in) :: output, view
    character(kind=c_char), target :: name(len_trim(output) + 1)
    type(c_ptr) :: names(1), error
    name = transfer(trim(output) // c_null_char, name)
    names(1) = c_loc(name)
    video_open = simreel_video_open(names, 1_c_size_t, view // c_null_char, c_null_ptr, error)
    if (.not. c_associated(video_open)) call stop_with(error)
  end function

  ! A frame that shows field(x, y), x to the right and y upwards: to C this is rows of y, columns of x.
  subroutine video_write(video, field, time)
    type(c_ptr), intent(in) :: video
    real(c_double), intent(in), target, contiguous :: field(:, :)
    real(c_double), intent(in) :: time
    integer(c_int64_t), target :: extents(2)
    type(simreel_array) :: array
    type(c_ptr) :: error
    extents = [size(field, 2, c_int64_t), size(field, 1, c_int64_t)]
    array = simreel_array(c_sizeof(array), c_loc(field), float64, 2, c_loc(extents), c_null_ptr, host, c_null_ptr)
    if (simreel_video_write(video, array, time, error) /= 0) call stop_with(error)
  end subroutine

  subroutine video_close(video)
    type(c_ptr), intent(in) :: video
    type(c_ptr) :: error
    if (simreel_video_close(video, c_null_ptr, error) /= 0) call stop_with(error)
  end subroutine

  subroutine stop_with(error)
    type(c_ptr), intent(in) :: error
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: message
    message = simreel_error_message(error)
    call c_f_pointer(message, text, [strlen(message)])
    print '(*(a))', text
    error stop 1
  end subroutine
end module
