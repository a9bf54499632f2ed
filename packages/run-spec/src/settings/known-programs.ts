import { splitRequirement } from '../registry-entry/runner-options.ts';

/** A package needs these at run time without declaring them. */
export interface KnownProgram {
  readonly scheme: string;
  readonly package: string;
  readonly debian: readonly string[];
  readonly alpine: readonly string[];
  /** Base image in place of the scheme's, for programs that Alpine cannot run. */
  readonly baseImage?: string;
  /** Variables without which the package does not find the program. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Month of the last review. */
export const KNOWN_PROGRAMS_REVIEWED = '2026-11';

const GIT = { debian: ['git'], alpine: ['git'] };

/** They start a program which their scheme's base image lacks. */
export const KNOWN_PROGRAMS: readonly KnownProgram[] = [
  { scheme: 'uvx', package: 'mcp-server-git', ...GIT },
  { scheme: 'uvx', package: 'mcp-git-ingest', ...GIT },
  { scheme: 'npx', package: '@cyanheads/git-mcp-server', ...GIT },
  { scheme: 'npx', package: 'repomix', ...GIT },
  { scheme: 'npx', package: 'mcp-server-kubernetes', debian: ['kubernetes-client'], alpine: ['kubectl'] },
  { scheme: 'uvx', package: 'mcp-pandoc', debian: ['pandoc'], alpine: ['pandoc-cli'] },
  {
    // A .NET program for glibc. icu-devtools depends on the libicu of its release.
    scheme: 'npx',
    package: '@azure/mcp',
    debian: ['icu-devtools'],
    alpine: ['icu-libs'],
    baseImage: 'node:24-slim',
  },
  {
    // Its own Dockerfile has this browser and these variables; its installation downloads another browser.
    scheme: 'npx',
    package: '@modelcontextprotocol/server-puppeteer',
    debian: ['chromium'],
    alpine: ['chromium'],
    environment: {
      DOCKER_CONTAINER: 'true',
      PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium',
      PUPPETEER_SKIP_DOWNLOAD: 'true',
    },
  },
];

/** Needs of a known package. */
export interface KnownNeeds {
  /** System packages, named as the system of the base image does. */
  readonly packages: readonly string[];
  /** Base image; empty for that of the scheme. */
  readonly baseImage: string;
  /** Variables of the build and of the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns what a package is known to need. `baseImage` is the base image that the user has chosen, which stays;
 * empty without a choice.
 */
export function findKnownNeeds(scheme: string, text: string, baseImage: string): KnownNeeds {
  const name = splitRequirement(text.replace(/#.*$/s, '')).name;
  const plain = scheme === 'uvx' ? name.replaceAll(/[-_.]+/g, '-').toLowerCase() : name;
  const found = KNOWN_PROGRAMS.find((one) => one.scheme === scheme && one.package === plain);
  if (found === undefined) return { packages: [], baseImage, environment: {} };
  const base = baseImage === '' ? (found.baseImage ?? '') : baseImage;
  const isAlpine = base === '' ? scheme === 'npx' : /alpine/i.test(base);
  return {
    packages: isAlpine ? found.alpine : found.debian,
    baseImage: base,
    environment: found.environment ?? {},
  };
}
