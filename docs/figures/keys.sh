#!/usr/bin/env bash
# Makes the pictures of the keys in docs/figures.md. Usage: docs/figures/keys.sh SIMREEL
set -euo pipefail
simreel=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"

# picture NAME KEY=VALUE...: the last frame with these keys, of [figure] where they name no table.
picture() {
  local name=$1 sets=() key
  shift
  for key; do
    [[ ${key%%=*} == *.* ]] || key=figure.$key
    sets+=(--set "$key")
  done
  "$simreel" render keys.toml "${sets[@]}" -o "key_$name.png" --overwrite --progress none
}

picture axes axes=ticks
picture frame axes=frame
picture labels axes=ticks "xlabel=\$x\$ (cells)" "ylabel=\$y\$ (cells)"
picture colorbar colorbar=right
picture colorbar_bottom colorbar=bottom
picture colorbar_inside colorbar=inside
picture label colorbar=right "label=\$\\omega_z\$ (1/step)"
picture title "title=Re = {solver.reynolds}"
picture time "time=step {step}"
picture scale_bar scale_bar=auto
picture contours contours=8
picture arrows arrows=24
picture streamlines streamlines=true
picture inset "inset={view=[34,33,74,57],at=\"upper right\"}"
picture units axes=ticks colorbar=right 'units={length="mm",cell=0.1,value="1/s",factor=100}'
picture font_size axes=ticks font_size=18px
picture theme axes=ticks colorbar=right theme=dark "view.background=#14181f"
picture only colorbar=right axes=ticks only=chrome
