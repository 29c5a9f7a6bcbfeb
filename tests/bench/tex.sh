#!/usr/bin/env bash
# tex.sh SIMREEL [FOLDER]: writes a plot, a frame with every kind of label and a figure of panels as LaTeX, and compiles them into one page
# (FOLDER/paper.pdf, to be looked at). Needs texlive-pictures and texlive-latex-base.
set -euo pipefail
simreel=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder/figures"
command -v pdflatex >/dev/null || { echo "pdflatex is not there; install texlive-pictures and texlive-latex-base" >&2; exit 1; }
"$simreel" render "$root/docs/figures/vortex_street.toml" --set animation.steps_per_frame=800 --set figure.width=120mm --set figure.scale_bar=auto \
  --set 'view.background=#ffffff' -o "$folder/figures/street.tex" --overwrite
"$simreel" plot "$root"/samples/tables/nbody_{serial,naive,tiled}.csv -x bodies -y steps_per_second --loglog --slope '-2:$N^{-2}$' \
  --xlabel 'bodies $N$' --ylabel 'steps per second' -o "$folder/figures/speed.tex" --overwrite
"$simreel" figure "$root/samples/figures/cavity.toml" -o "$folder/figures/cavity.tex" --overwrite
cat >"$folder/paper.tex" <<'TEX'
\documentclass{article}
\usepackage[margin=15mm]{geometry}
\usepackage{tikz}
\newcommand\simreelpath{figures/}
\begin{document}
\noindent\input{figures/street.tex}\par\bigskip
\noindent\input{figures/speed.tex}\par\bigskip
\noindent\input{figures/cavity.tex}
\end{document}
TEX
cd "$folder"
timeout 120 pdflatex -interaction=nonstopmode -halt-on-error paper.tex >compiled.txt || { tail -20 compiled.txt; exit 1; }
echo "$folder/paper.pdf"
