import { findFactFaults, isRemote } from './find-fact-faults.ts';
import { serverDocument } from './server-document.ts';
import { judgeDocument } from './judge-document.ts';
import type { ServerFacts } from './server-facts.ts';

/** A question on the terminal, with the default that Enter accepts. */
export interface TextQuestion {
  readonly message: string;
  readonly initial: string | undefined;
  /** Returns true for a valid text, otherwise what is wrong with it. */
  readonly validate: (text: string) => true | string;
}

export type AskText = (question: TextQuestion) => Promise<string>;

/** Fact that the user enters, in the order of the list. */
interface TextFact {
  readonly key: 'name' | 'title' | 'description' | 'version';
  readonly message: string;
  readonly isNeeded: boolean;
}

const TEXTS: readonly TextFact[] = [
  { key: 'name', message: 'Name, such as com.acme/notes', isNeeded: true },
  { key: 'title', message: 'Title for people (optional)', isNeeded: false },
  { key: 'description', message: 'What it does, in at most 100 characters', isNeeded: true },
  { key: 'version', message: 'Version', isNeeded: true },
];

/**
 * Asks for every fact that the command line does not state, with the known value as the default. Accepts a value if a document with it is valid at that place.
 */
export async function askFacts(
  known: ServerFacts,
  said: ServerFacts,
  ask: AskText,
  now: Date,
): Promise<ServerFacts> {
  let facts = known;
  for (const { key, message, isNeeded } of TEXTS) {
    if (said[key] !== undefined) continue;
    const faultOf = (text: string): string | undefined =>
      text === '' && !isNeeded ? undefined : faultAt(key, { ...facts, [key]: text }, now);
    const initial = facts[key] ?? (key === 'version' ? '0.1.0' : undefined);
    const reply = await ask({ message, initial, validate: (text) => faultOf(text.trim()) ?? true });
    facts = { ...facts, [key]: reply.trim() === '' ? undefined : reply.trim() };
  }
  if (said.runs.length === 0) facts = { ...facts, runs: await askRuns(facts, ask, now) };
  if (
    said.secrets.length === 0 &&
    said.variables.length === 0 &&
    facts.runs.some((text) => !isRemote(text))
  ) {
    facts = {
      ...facts,
      secrets: await askNames('Secrets that it needs, such as API_KEY (optional)', facts, ask, now),
    };
  }
  return facts;
}

async function askRuns(facts: ServerFacts, ask: AskText, now: Date): Promise<readonly string[]> {
  const message = 'Package (npx://, uvx://), image or URL (optional)';
  const validate = (text: string): true | string =>
    faultInRuns({ ...facts, runs: listed(text) }, now) ?? true;
  return listed(await ask({ message, initial: facts.runs.join(', ') || undefined, validate }));
}

function faultInRuns(facts: ServerFacts, now: Date): string | undefined {
  const [fault] = findFactFaults({ ...facts, variables: [], secrets: [] });
  return fault?.message ?? faultAt('packages', facts, now) ?? faultAt('remotes', facts, now);
}

async function askNames(
  message: string,
  facts: ServerFacts,
  ask: AskText,
  now: Date,
): Promise<readonly string[]> {
  const validate = (text: string): true | string => {
    const wished = { ...facts, secrets: listed(text) };
    return findFactFaults(wished)[0]?.message ?? faultAt('packages', wished, now) ?? true;
  };
  return listed(await ask({ message, initial: undefined, validate }));
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns the fault at a place of the document that the facts produce; undefined without a fault. */
function faultAt(place: string, facts: ServerFacts, now: Date): string | undefined {
  const { errors } = judgeDocument(serverDocument(facts), now);
  return errors.find((error) => error.place === place || error.place.startsWith(`${place}[`))?.message;
}
