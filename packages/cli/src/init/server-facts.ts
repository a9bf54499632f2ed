/** Facts for a server.json; undefined means not known yet. */
export interface ServerFacts {
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly repository: string | undefined;
  readonly websiteUrl: string | undefined;
  /**
   * Targets as in `portolan run`: `npx://PACKAGE@VERSION`, `uvx://PACKAGE@VERSION`, an image, the URL of a
   * remote server.
   */
  readonly runs: readonly string[];
  /** Transport. Default: stdio for packages, streamable HTTP for remote servers. */
  readonly transport: string | undefined;
  readonly variables: readonly string[];
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

/** Fills in missing facts of the user with known facts about the project. */
export function withFallback(facts: ServerFacts, known: ServerFacts): ServerFacts {
  const entries = Object.entries(facts).filter(
    ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
  );
  return { ...known, ...Object.fromEntries(entries) };
}
