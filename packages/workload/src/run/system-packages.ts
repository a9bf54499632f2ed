/** Operating system of an image, from its `/etc/os-release`. */
export interface ImageSystem {
  /** `ID`, such as `debian`, `ubuntu` or `alpine`. */
  readonly id: string;
  /** `VERSION_ID`, such as `12` or `3.22`; empty for rolling releases. */
  readonly version: string;
  /** `VERSION_CODENAME`, such as `bookworm`; empty where the system has none. */
  readonly codename: string;
}

/** Parses an os-release file. Returns undefined for a text without `ID`. */
export function parseImageSystem(text: string): ImageSystem | undefined {
  const valueOf = (name: string): string =>
    new RegExp(`^${name}=["']?([\\w.-]{1,40})`, 'm').exec(text)?.[1] ?? '';
  const id = valueOf('ID');
  return id === ''
    ? undefined
    : { id, version: valueOf('VERSION_ID'), codename: valueOf('VERSION_CODENAME') };
}

/** Returns whether the system's packages have the same names as Debian's. */
export function isDebianLike({ id }: ImageSystem): boolean {
  return id === 'debian' || id === 'ubuntu';
}

/**
 * Package names of programs whose package has a different name than the program: first in Debian, then in
 * Alpine.
 */
const PROGRAM_PACKAGES: Readonly<Record<string, readonly [debian: string, alpine: string]>> = {
  adb: ['adb', 'android-tools'],
  aws: ['awscli', 'aws-cli'],
  convert: ['imagemagick', 'imagemagick'],
  dig: ['bind9-dnsutils', 'bind-tools'],
  docker: ['docker.io', 'docker-cli'],
  dot: ['graphviz', 'graphviz'],
  exiftool: ['libimage-exiftool-perl', 'exiftool'],
  fd: ['fd-find', 'fd'],
  ffprobe: ['ffmpeg', 'ffmpeg'],
  gh: ['gh', 'github-cli'],
  go: ['golang-go', 'go'],
  'google-chrome': ['chromium', 'chromium'],
  gs: ['ghostscript', 'ghostscript'],
  java: ['default-jre-headless', 'openjdk21-jre-headless'],
  kubectl: ['kubernetes-client', 'kubectl'],
  magick: ['imagemagick', 'imagemagick'],
  mysql: ['default-mysql-client', 'mysql-client'],
  node: ['nodejs', 'nodejs'],
  npx: ['npm', 'npm'],
  pdftoppm: ['poppler-utils', 'poppler-utils'],
  pdftotext: ['poppler-utils', 'poppler-utils'],
  pip: ['python3-pip', 'py3-pip'],
  ps: ['procps', 'procps'],
  psql: ['postgresql-client', 'postgresql-client'],
  python: ['python3', 'python3'],
  'redis-cli': ['redis-tools', 'redis'],
  rg: ['ripgrep', 'ripgrep'],
  soffice: ['libreoffice', 'libreoffice'],
  sqlite3: ['sqlite3', 'sqlite'],
  ssh: ['openssh-client', 'openssh-client-default'],
  tesseract: ['tesseract-ocr', 'tesseract-ocr'],
};

/**
 * Returns the name of the package that contains a program. For an unknown system, returns the name in Debian.
 */
export function packageOfProgram(program: string, system: ImageSystem | undefined): string {
  const names = Object.hasOwn(PROGRAM_PACKAGES, program) ? PROGRAM_PACKAGES[program] : undefined;
  if (names === undefined) return program;
  return system?.id === 'alpine' ? names[1] : names[0];
}

/** Matches libraries of glibc, which every Debian image has and no Alpine image has. */
const GLIBC = /^(?:ld-linux[\w.-]*|lib(?:c|m|rt|dl|pthread|util|resolv|nsl|anl)\.so\.\d+)(?:\.so\.\d+)?$/;

/** Returns whether a library is part of glibc. */
export function isOfGlibc(library: string): boolean {
  return GLIBC.test(library);
}

/** ICU version of each Debian and Ubuntu release. The name of the ICU package ends with this version. */
const ICU_VERSIONS: Readonly<Record<string, string>> = {
  bullseye: '67',
  bookworm: '72',
  trixie: '76',
  focal: '66',
  jammy: '70',
  noble: '74',
  plucky: '76',
};

/** Debian packages of libraries whose package name cannot be derived from the library's name. */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  'cairo-2': 'libcairo2',
  'gobject-2.0-0': 'libglib2.0-0',
  'libGL.so.1': 'libgl1',
  'libatk-1.0.so.0': 'libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0',
  'libatspi.so.0': 'libatspi2.0-0',
  'libcrypto.so.1.1': 'libssl1.1',
  'libcrypto.so.3': 'libssl3',
  'libgcc_s.so.1': 'libgcc-s1',
  'libgdk-3.so.0': 'libgtk-3-0',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0',
  'libgmodule-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libgthread-2.0.so.0': 'libglib2.0-0',
  libmagic: 'libmagic1',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libsmime3.so': 'libnss3',
  libssl: 'libssl3',
  'libz.so.1': 'zlib1g',
  'pango-1.0-0': 'libpango-1.0-0',
};

/** Packages whose names got the suffix `t64` with Debian 13 and Ubuntu 24.04. */
const T64: ReadonlySet<string> = new Set(
  (
    'libarchive13 libasound2 libatk-bridge2.0-0 libatk1.0-0 libatspi2.0-0 libcups2 libcurl4 libglib2.0-0 libgnutls30 ' +
    'libgtk-3-0 libmagic1 libpng16-16 libreadline8 libssl3'
  ).split(' '),
);

/** Alpine packages by library. For other libraries, the package name is unknown. */
const ALPINE_PACKAGES: Readonly<Record<string, string>> = {
  'cairo-2': 'cairo',
  'gobject-2.0-0': 'glib',
  'libGL.so.1': 'mesa-gl',
  'libasound.so.2': 'alsa-lib',
  'libcairo.so.2': 'cairo',
  'libcrypto.so.3': 'libcrypto3',
  'libcurl.so.4': 'libcurl',
  'libfontconfig.so.1': 'fontconfig',
  'libfreetype.so.6': 'freetype',
  'libgcc_s.so.1': 'libgcc',
  'libglib-2.0.so.0': 'glib',
  'libgobject-2.0.so.0': 'glib',
  libicu: 'icu-libs',
  libmagic: 'libmagic',
  'libmagic.so.1': 'libmagic',
  'libnspr4.so': 'nspr',
  'libnss3.so': 'nss',
  'libpango-1.0.so.0': 'pango',
  'libpng16.so.16': 'libpng',
  'libpq.so.5': 'libpq',
  'libsecret-1.so.0': 'libsecret',
  'libsqlite3.so.0': 'sqlite-libs',
  libssl: 'libssl3',
  'libssl.so.3': 'libssl3',
  'libstdc++.so.6': 'libstdc++',
  'libxml2.so.2': 'libxml2',
  'libz.so.1': 'zlib',
  'pango-1.0-0': 'pango',
};

/**
 * Returns the name of the package that contains a library, for the release of an image; undefined when the
 * name is not known.
 */
export function packageOfLibrary(library: string, system: ImageSystem): string | undefined {
  if (system.id === 'alpine') {
    if (/^libicu\w*\.so\.\d+$/.test(library)) return 'icu-libs';
    return Object.hasOwn(ALPINE_PACKAGES, library) ? ALPINE_PACKAGES[library] : undefined;
  }
  if (!isDebianLike(system)) return undefined;
  if (library.startsWith('ld-musl')) return 'musl';
  // Without a known ICU version, suggest icu-devtools, which depends on the ICU package of its release.
  if (library === 'libicu') return icuOf(system) === undefined ? 'icu-devtools' : `libicu${icuOf(system)}`;
  const name = Object.hasOwn(DEBIAN_PACKAGES, library) ? DEBIAN_PACKAGES[library] : nameBySoname(library);
  return name !== undefined && T64.has(name) && hasT64(system) ? `${name}t64` : name;
}

/** Returns the releases that have a package, if the image's own release is known to lack it. */
export function findOtherReleases(packageName: string, system: ImageSystem): readonly string[] {
  if (!isDebianLike(system)) return [];
  const version = /^libicu(\d+)$/.exec(packageName)?.[1];
  if (version !== undefined && icuOf(system) !== undefined && icuOf(system) !== version)
    return Object.keys(ICU_VERSIONS).filter((codename) => ICU_VERSIONS[codename] === version);
  const isOld = ['bullseye', 'focal'].includes(system.codename);
  return packageName === 'libssl1.1' && !isOld ? ['bullseye', 'focal'] : [];
}

function icuOf({ codename }: ImageSystem): string | undefined {
  return Object.hasOwn(ICU_VERSIONS, codename) ? ICU_VERSIONS[codename] : undefined;
}

function hasT64({ id, version }: ImageSystem): boolean {
  const number = Number.parseFloat(version);
  return Number.isNaN(number) || number >= (id === 'ubuntu' ? 24.04 : 13);
}

/** Returns the package name that Debian's policy (section 8.1) gives to a library, such as libfoo2 to libfoo.so.2. */
function nameBySoname(library: string): string | undefined {
  const [, name, version] = /^(lib[\w.+-]+?)\.so\.(\d[\d.]*)$/.exec(library) ?? [];
  if (name === undefined || version === undefined) return undefined;
  if (/^libicu(?:data|i18n|io|tu|uc)$/.test(name)) return `libicu${version}`;
  return `${name}${/\d$/.test(name) ? '-' : ''}${version}`.toLowerCase().replaceAll('_', '-');
}
