/** What is known of a server that a server.json is made for; undefined is not known yet. */
export interface ServerFacts {
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly repository: string | undefined;
  readonly websiteUrl: string | undefined;
  /** As for `portolan run`: `npx://PACKAGE@VERSION`, `uvx://PACKAGE@VERSION`, an image, the address of a remote server. */
  readonly runs: readonly string[];
  /** Undefined: standard input and output of packages, streamable HTTP of remotes. */
  readonly transport: string | undefined;
  /** Variables that whoever runs it has to set. */
  readonly variables: readonly string[];
  /** Those of them that are secret. */
  readonly secrets: readonly string[];
}

export const NO_FACTS: ServerFacts = {
  name: undefined,
  title: undefined,
  description: undefined,
  version: undefined,
  repository: undefined,
  websiteUrl: undefined,
  runs: [],
  transport: undefined,
  variables: [],
  secrets: [],
};

/** What is said, and of what is not said what else is known. */
export function withFallback(said: ServerFacts, known: ServerFacts): ServerFacts {
  const entries = Object.entries(said).filter(
    ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
  );
  return { ...known, ...Object.fromEntries(entries) };
}
