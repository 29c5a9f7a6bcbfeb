! waves OUTPUT: two plane waves that pass through each other.
program waves
  use, intrinsic :: iso_c_binding
  use simreel
  implicit none
  integer, parameter :: nx = 160, ny = 90, frames = 60
  real(c_double) :: field(nx, ny), time
  character(512) :: output
  type(c_ptr) :: video
  integer :: frame, x, y

  call get_command_argument(1, output)
  video = video_open(output, '[view]' // new_line('a') // 'size = [640, 360]' // new_line('a') // &
    'range = [-2, 2]' // new_line('a') // 'colormap = "RdBu_r"')
  do frame = 0, frames - 1
    time = frame / 30.0_c_double
    do y = 1, ny
      do x = 1, nx
        field(x, y) = sin(0.2_c_double * x - 4 * time) + sin(0.1_c_double * x + 0.2_c_double * y + 4 * time)
      end do
    end do
    call video_write(video, field, time)
  end do
  call video_close(video)
end program
