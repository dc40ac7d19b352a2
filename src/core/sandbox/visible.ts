/**
 * What confined commands see besides the workspace: folders of the system, and toolchains. Everything else is not there for them. A list of
 * what must be hidden can never be complete: of 120 files with logins, one let 104 through.
 */

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Programs, their settings, and what package managers know of them. Nobody keeps files of a person there. */
export const SYSTEM_FOLDERS: readonly string[] = words(`
  /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /sys /nix /gnu /snap /var/lib/dpkg /var/lib/apt /var/lib/rpm /var/lib/pacman /var/lib/flatpak
  /var/lib/snapd /var/cache/fontconfig /var/db/pkg`);

/** In them, with the files of `/etc` that not everybody may read. */
export const SYSTEM_SECRETS: readonly string[] = words("/etc/shadow /etc/shadow- /etc/ssl/private");

/**
 * What tools need of the home folder, a kind a line: `VARIABLE=PLACE[PART,PART]`. The variable moves the place; parts are named where the rest
 * of it may hold logins. git and terminals; Node; Python; Rust and Go; Java; Ruby and .NET; other languages; managers of versions.
 */
const OF_HOME = words(`
  .gitconfig .config/git[config,ignore,attributes] .editorconfig .terminfo
  NVM_DIR=.nvm VOLTA_HOME=.volta FNM_DIR=.local/share/fnm .fnm .nodenv N_PREFIX=n BUN_INSTALL=.bun DENO_INSTALL=.deno[bin]
  PNPM_HOME=.local/share/pnpm .npm-global .npm-packages .config/yarn/global COREPACK_HOME=.cache/node/corepack
  PLAYWRIGHT_BROWSERS_PATH=.cache/ms-playwright .cache/puppeteer .cache/Cypress
  PYENV_ROOT=.pyenv .local/lib .local/pipx .local/share/pipx .local/share/uv POETRY_HOME=.local/share/pypoetry WORKON_HOME=.virtualenvs
  .local/share/virtualenvs miniconda3 anaconda3 miniforge3 mambaforge micromamba .rye
  CARGO_HOME=.cargo[bin,env,config,config.toml,registry,git] RUSTUP_HOME=.rustup GOPATH=go[bin,pkg] sdk .gvm
  SDKMAN_DIR=.sdkman .jenv .jabba .jdks .m2[repository,wrapper] GRADLE_USER_HOME=.gradle[caches,wrapper,jdks,native] .ivy2[cache]
  .cache/coursier .konan ANDROID_HOME=Android/Sdk
  RBENV_ROOT=.rbenv .rvm .gem[ruby] .local/share/gem DOTNET_ROOT=.dotnet NUGET_PACKAGES=.nuget/packages
  .opam .ghcup .cabal[bin,packages,store] .stack[programs,snapshots] .elan .juliaup .julia .mix .pub-cache[bin,hosted] .composer[vendor]
  .config/composer[vendor] .swiftly
  ASDF_DATA_DIR=.asdf MISE_DATA_DIR=.local/share/mise .proto .nix-profile .local/state/nix .linuxbrew`);

/** Further variables that name folders and files of toolchains, each a list of paths. */
const NAMED = words(`
  NVM_BIN NODE_PATH DENO_DIR PUPPETEER_EXECUTABLE_PATH PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX JAVA_HOME MAVEN_HOME GRADLE_HOME
  KOTLIN_HOME GOROOT GOBIN GOMODCACHE GEM_HOME GEM_PATH BUNDLE_PATH ANDROID_SDK_ROOT FLUTTER_ROOT ERL_LIBS MIX_HOME LD_LIBRARY_PATH
  LIBRARY_PATH CPATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH HOMEBREW_PREFIX GIT_EXEC_PATH ASDF_DIR FNM_MULTISHELL_PATH GIT_CONFIG_GLOBAL
  NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE`);

/** The paths of toolchains that commands with this environment see. They need not exist. */
export function toolchainPaths(home: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const usual = OF_HOME.flatMap((word) => {
    const [, variable, place = "", parts] = /^(?:(\w+)=)?([^[]+)(?:\[(.*)\])?$/.exec(word) ?? [];
    const moved = variable === undefined ? undefined : env[variable];
    return [`${home}/${place}`, ...(moved ? [moved] : [])].flatMap(
      (folder) => parts?.split(",").map((part) => `${folder}/${part}`) ?? folder,
    );
  });
  return [...usual, ...NAMED.flatMap((name) => env[name]?.split(":") ?? [])];
}
