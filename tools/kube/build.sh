#!/usr/bin/env bash
# Builds the programs of the end-to-end tests into the user's cache folder:
# etcd, kube-apiserver, kube-controller-manager, kubectl and helm; and, where
# they are named, the two of cert-manager that the endurance tests need, the
# oldest API server that the guard is for, promtool, for the alerts, and
# actionlint, for the workflows.
# Versions come from the go.mod files here, in ../helm, ../cert-manager,
# ../kube-oldest, ../prometheus and ../actionlint, nowhere else.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: build.sh [--print-dir | --print-built] [NAME...]

  NAME           one of: etcd kubectl kube-apiserver kube-controller-manager helm
                 (all of these when none is named)
                 cert-manager-controller cert-manager-cainjector
                 oldest-kube-apiserver promtool actionlint
  --print-dir    print the folder the programs are built into, and build nothing
  --print-built  print the path of each that is there in the right version, and
                 build nothing
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all=(etcd kubectl kube-apiserver kube-controller-manager helm)

# required MODULE FOLDER: the version that go.mod in FOLDER requires.
required() {
  awk -v module="$1" '$1 == "require" { $0 = substr($0, 9) } $1 == module && $2 ~ /^v/ { print $2; exit }' "$2/go.mod"
}

kube_version=$(required k8s.io/kubernetes "$here")
dir="${XDG_CACHE_HOME:-$HOME/.cache}/stageguard/kube-${kube_version#v}"

# describe NAME: sets where the program is built from.
describe() {
  folder=$here tags=
  case $1 in
    etcd) module=go.etcd.io/etcd/server/v3 package=$module ;;
    kubectl | kube-apiserver | kube-controller-manager) module=k8s.io/kubernetes package=$module/cmd/$1 ;;
    oldest-kube-apiserver)
      folder=$here/../kube-oldest module=k8s.io/kubernetes package=$module/cmd/kube-apiserver
      ;;
    helm) folder=$here/../helm module=helm.sh/helm/v3 package=$module/cmd/helm ;;
    promtool)
      folder=$here/../prometheus module=github.com/prometheus/prometheus package=$module/cmd/promtool
      # Without the clients of all clouds, which no test of an alert asks.
      tags=remove_all_sd
      ;;
    actionlint) folder=$here/../actionlint module=github.com/rhysd/actionlint package=$module/cmd/actionlint ;;
    cert-manager-controller | cert-manager-cainjector)
      folder=$here/../cert-manager module=github.com/cert-manager/cert-manager package=$module/cmd/${1#cert-manager-}
      ;;
    *)
      echo "build.sh: unknown program '$1'" >&2
      usage >&2
      exit 2
      ;;
  esac
  version=$(required "$module" "$folder")
}

# Released programs get their version from the linker; one built without these
# flags calls itself v0.0.0-master, and helm templates for Kubernetes 1.20.
link_flags() {
  local flags="-s -w" package kube=${kube_version#v1.}
  [[ $module != k8s.io/kubernetes ]] || kube=${version#v1.}
  local kube_minor=${kube%%.*}
  case $module in
    k8s.io/kubernetes)
      for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$kube_minor"
      done
      ;;
    helm.sh/helm/v3)
      flags+=" -X helm.sh/helm/v3/internal/version.version=$version"
      for package in helm.sh/helm/v3/pkg/chartutil helm.sh/helm/v3/pkg/lint/rules; do
        flags+=" -X $package.k8sVersionMajor=1 -X $package.k8sVersionMinor=$kube_minor"
      done
      ;;
    github.com/cert-manager/cert-manager)
      flags+=" -X $module/pkg/util.AppVersion=$version"
      ;;
  esac
  echo "$flags"
}

# Go writes the module and its version into each program, so the program itself
# says whether it is the one go.mod asks for (helm and etcd may move alone).
# Without Go nobody can tell, and nobody could build another.
is_built() {
  [[ -x $dir/$1 ]] || return 1
  command -v go >/dev/null || return 0
  go version -m "$dir/$1" 2>/dev/null |
    awk -v module="$module" -v version="$version" '$1 == "mod" && $2 == module && $3 == version { found = 1 } END { exit !found }'
}

compiler=
unfinished=
clean_up() {
  [[ -z $compiler ]] || kill "$compiler" 2>/dev/null || true
  [[ -z $unfinished ]] || rm -f "$unfinished"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  local name=$1 started=$SECONDS
  if is_built "$name"; then
    echo "$name $version: already built"
    return
  fi
  echo "$name $version: building ..."
  # The folder is the same file system, so the rename below is atomic: a
  # program is there as a whole or not at all.
  unfinished=$dir/.$name.$$
  # In the background because bash holds a signal back until a program in the
  # foreground has ended, which would be minutes here.
  CGO_ENABLED=0 GOWORK=off nice -n 10 \
    go build -C "$folder" -tags "$tags" -trimpath -ldflags "$(link_flags)" -o "$unfinished" "$package" &
  compiler=$!
  wait "$compiler"
  compiler=
  mv -f "$unfinished" "$dir/$name"
  unfinished=
  echo "$name $version: built in $((SECONDS - started)) s"
}

names=()
build_nothing=
for argument in "$@"; do
  case $argument in
    --print-dir)
      echo "$dir"
      exit 0
      ;;
    --print-built) build_nothing=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      describe "$argument"
      names+=("$argument")
      ;;
  esac
done
[[ ${#names[@]} -gt 0 ]] || names=("${all[@]}")

if [[ -n $build_nothing ]]; then
  for name in "${names[@]}"; do
    describe "$name"
    if is_built "$name"; then echo "$dir/$name"; fi
  done
  exit 0
fi

if ! command -v go >/dev/null; then
  echo "build.sh: Go is needed to build ${names[*]}; install Go 1.24 or newer" >&2
  exit 1
fi

mkdir -p "$dir"
echo "programs go to $dir; building all of them takes ten minutes or more, once"
for name in "${names[@]}"; do
  describe "$name"
  build "$name"
done
echo "all there after $SECONDS s"
