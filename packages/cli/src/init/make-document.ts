import { problemLines } from '../publish/check-publications.ts';
import { askFacts, type AskText } from './ask-facts.ts';
import { findFactFaults } from './find-fact-faults.ts';
import { documentIncomplete } from './init-errors.ts';
import { flagFor, judgeDocument } from './judge-document.ts';
import { readProject } from './read-project.ts';
import { serverDocument } from './server-document.ts';
import { type ServerFacts, withFallback } from './server-facts.ts';

export interface DocumentRequest {
  readonly facts: ServerFacts;
  /** File with the facts of a project; see `readProject`. */
  readonly from: string | undefined;
  readonly folder: string;
  /** Function that asks the user; undefined without a terminal. */
  readonly ask: AskText | undefined;
  readonly now: Date;
}

export interface MadeDocument {
  /** Text of the document: indented JSON with a final line break. */
  readonly text: string;
  /** Notes and warnings for the user. */
  readonly messages: readonly string[];
}

/**
 * Creates a valid server.json from flags, the project's file and typed values. Throws ERR_INIT_PROJECT, which
 * lists all missing and invalid facts.
 */
export async function makeDocument({
  facts: said,
  from,
  folder,
  ask,
  now,
}: DocumentRequest): Promise<MadeDocument> {
  const { file, facts } = await readProject(folder, from);
  const known = withFallback(said, facts);
  const whole = ask === undefined ? known : await askFacts(known, said, ask, now);
  const document = serverDocument(whole);
  const { errors, warnings } = judgeDocument(document, now);
  const faults = findFactFaults(whole);
  if (errors.length > 0 || faults.length > 0) {
    throw documentIncomplete([
      ...errors.map(({ place, message }) => `${flagFor(place)}: ${message}`),
      ...faults.map(({ flag, message }) => `${flag}: ${message}`),
    ]);
  }
  return {
    text: `${JSON.stringify(document, null, 2)}\n`,
    messages: [
      ...(file === undefined ? [] : [`note: values without a flag are from ${file}`]),
      ...problemLines(warnings).map((line) => `warning: ${line.trimStart()}`),
    ],
  };
}
