import { splitRequirement } from '../registry-entry/runner-options.ts';

/** A package needs these at run time without declaring them. */
export interface KnownProgram {
  readonly scheme: string;
  readonly package: string;
  readonly debian: readonly string[];
  readonly alpine: readonly string[];
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
];

/** An empty name means the scheme's base image. */
export function knownProgramsOf(scheme: string, text: string, baseImage: string): readonly string[] {
  const name = splitRequirement(text.replace(/#.*$/s, '')).name;
  const plain = scheme === 'uvx' ? name.replaceAll(/[-_.]+/g, '-').toLowerCase() : name;
  const found = KNOWN_PROGRAMS.find((one) => one.scheme === scheme && one.package === plain);
  if (found === undefined) return [];
  const isAlpine = baseImage === '' ? scheme === 'npx' : /alpine/i.test(baseImage);
  return isAlpine ? found.alpine : found.debian;
}
