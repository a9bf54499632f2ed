import { splitRequirement } from '../registry-entry/runner-options.ts';

/** System packages and settings that a package needs at run time without declaring them. */
export interface KnownProgram {
  readonly scheme: string;
  readonly package: string;
  readonly debian: readonly string[];
  readonly alpine: readonly string[];
  /** Base image that replaces the scheme's, for packages that do not run on it. */
  readonly baseImage?: string;
  /** Environment variables that the package needs to find the program. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Month of the last review. */
export const KNOWN_PROGRAMS_REVIEWED = '2026-11';

const GIT = { debian: ['git'], alpine: ['git'] };
const CHROMIUM = { debian: ['chromium'], alpine: ['chromium'] };

/** Packages that need more than the base image of their scheme has. */
export const KNOWN_PROGRAMS: readonly KnownProgram[] = [
  { scheme: 'uvx', package: 'mcp-server-git', ...GIT },
  { scheme: 'uvx', package: 'mcp-git-ingest', ...GIT },
  { scheme: 'npx', package: '@cyanheads/git-mcp-server', ...GIT },
  { scheme: 'npx', package: 'repomix', ...GIT },
  { scheme: 'npx', package: 'mcp-server-kubernetes', debian: ['kubernetes-client'], alpine: ['kubectl'] },
  { scheme: 'uvx', package: 'mcp-pandoc', debian: ['pandoc'], alpine: ['pandoc-cli'] },
  {
    // It is a .NET program that needs glibc. icu-devtools installs the libicu of its Debian release.
    scheme: 'npx',
    package: '@azure/mcp',
    debian: ['icu-devtools'],
    alpine: ['icu-libs'],
    baseImage: 'node:24-slim',
  },
  { scheme: 'uvx', package: 'kagimcp', debian: [], alpine: [], baseImage: 'python:3.12-slim' }, // Python ==3.12.*
  {
    // The package's own Dockerfile has this browser and these variables. Its installation downloads another
    // browser.
    scheme: 'npx',
    package: '@modelcontextprotocol/server-puppeteer',
    ...CHROMIUM,
    environment: {
      DOCKER_CONTAINER: 'true',
      PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium',
      PUPPETEER_SKIP_DOWNLOAD: 'true',
    },
  },
  {
    // Without a browser it starts, and every call fails. Containers have no user namespaces for the sandbox.
    scheme: 'npx',
    package: '@playwright/mcp',
    ...CHROMIUM,
    environment: {
      PLAYWRIGHT_MCP_BROWSER: 'chromium',
      PLAYWRIGHT_MCP_EXECUTABLE_PATH: '/usr/bin/chromium',
      PLAYWRIGHT_MCP_HEADLESS: 'true',
      PLAYWRIGHT_MCP_NO_SANDBOX: 'true',
    },
  },
  {
    // By default, it makes a folder for its log next to its code, and ends if it cannot.
    scheme: 'npx',
    package: '@cyanheads/pubmed-mcp-server',
    debian: [],
    alpine: [],
    environment: { LOGS_DIR: '/tmp/logs' },
  },
  {
    scheme: 'npx',
    package: '@executeautomation/playwright-mcp-server',
    ...CHROMIUM,
    environment: { CHROME_EXECUTABLE_PATH: '/usr/bin/chromium', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  },
];

/** Needs of a known package. */
export interface KnownNeeds {
  /** System packages, with their names in the base image's distribution. */
  readonly packages: readonly string[];
  /** Base image; empty for the default of the scheme. */
  readonly baseImage: string;
  /** Variables for the build and for the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns what a package needs beyond its declaration. `baseImage` is the base image that the user has
 * chosen, which is never replaced; empty if the user chose none.
 */
export function findKnownNeeds(scheme: string, text: string, baseImage: string): KnownNeeds {
  const name = splitRequirement(text.replace(/#.*$/s, '')).name;
  const plain = scheme === 'uvx' ? name.replaceAll(/[-_.]+/g, '-').toLowerCase() : name;
  const program = KNOWN_PROGRAMS.find((one) => one.scheme === scheme && one.package === plain);
  if (program === undefined) return { packages: [], baseImage, environment: {} };
  const base = baseImage === '' ? (program.baseImage ?? '') : baseImage;
  const isAlpine = base === '' ? scheme === 'npx' : /alpine/i.test(base);
  return {
    packages: isAlpine ? program.alpine : program.debian,
    baseImage: base,
    environment: program.environment ?? {},
  };
}
