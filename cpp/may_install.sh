# may_install PACKAGES...: whether system packages may be installed as root. Always on a CI machine (CI is set); elsewhere
# only if the user at the terminal agrees.
may_install() {
  if [[ -n "${CI:-}" ]]; then return 0; fi
  local answer=""
  if [[ -t 0 && -t 2 ]]; then
    read -r -p "Install the system packages $* with apt-get, as $(id -un)? [y/N] " answer
  else
    echo "not installing the system packages $*: there is no terminal to ask; install them, or set CI=1 to allow it" >&2
  fi
  [[ "$answer" == [yY]* ]]
}
