/**
 * The environment of child processes: variables that are known to hold no secret, and those that the settings name. A list of
 * what is left out can never be complete: of 80 names with secrets, one of name patterns let 48 through.
 */
import { SECRET_NAME } from "../../core/text/secrets.ts";

const NAMES = new Set(
  `PATH HOME USER LOGNAME EMAIL SHELL HOSTNAME TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI DEBIAN_FRONTEND
  TMPDIR TMP TEMP EDITOR VISUAL PAGER LANG LANGUAGE SSH_AUTH_SOCK
  NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY NVM_DIR NVM_BIN VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR
  npm_config_registry npm_config_cache npm_config_prefix COREPACK_HOME PLAYWRIGHT_BROWSERS_PATH PUPPETEER_EXECUTABLE_PATH
  PYTHONPATH PYTHONHOME PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION
  PIP_CACHE_DIR PIP_INDEX_URL UV_CACHE_DIR POETRY_HOME JAVA_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR KOTLIN_HOME
  GOPATH GOROOT GOBIN GOFLAGS GOCACHE GOMODCACHE GOPROXY GOPRIVATE GOTOOLCHAIN GOOS GOARCH CGO_ENABLED
  CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RBENV_VERSION
  DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT NUGET_PACKAGES ANDROID_HOME ANDROID_SDK_ROOT FLUTTER_ROOT COMPOSER_HOME ERL_LIBS MIX_HOME
  MAKEFLAGS CC CXX LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH DYLD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH
  CMAKE_PREFIX_PATH CMAKE_GENERATOR CMAKE_BUILD_TYPE NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE HOMEBREW_PREFIX HOMEBREW_CELLAR
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
  SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES GIT_TERMINAL_PROMPT GIT_SSH GIT_SSH_COMMAND
  GIT_EDITOR GIT_PAGER GIT_OPTIONAL_LOCKS GIT_EXEC_PATH`.split(/\s+/),
);
const PREFIXES = ["LC_", "XDG_", "EKIDEN_", "GIT_AUTHOR_", "GIT_COMMITTER_", "ASDF_", "MISE_", "FNM_"];
/** `scheme://user:password@host`, or a name alone, which is how tokens are written. */
const LOGIN = /:\/\/[^/\s@]+@/;

/**
 * `passed`: further names, or beginnings of names as `NAME_*`, whatever they hold. `hidden`: names that are left out, whatever
 * else would let them through.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  {
    passed = [],
    hidden = [],
  }: { readonly passed?: readonly string[]; readonly hidden?: readonly string[] } = {},
): Record<string, string> {
  const names = new Set(passed);
  const prefixes = passed
    .filter((name) => name.length > 1 && name.endsWith("*"))
    .map((name) => name.slice(0, -1));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || hidden.includes(name)) continue;
    const named = names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
    if (named || (isHarmless(name) && !LOGIN.test(value))) kept[name] = value;
  }
  return kept;
}

const isHarmless = (name: string): boolean =>
  NAMES.has(name) || (PREFIXES.some((prefix) => name.startsWith(prefix)) && !SECRET_NAME.test(name));
