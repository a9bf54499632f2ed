import { problemLines } from '../publish/check-publications.ts';
import { askFacts, type AskText } from './ask-facts.ts';
import { findFactFaults } from './find-fact-faults.ts';
import { documentIncomplete } from './init-errors.ts';
import { flagFor, judgeDocument } from './judge-document.ts';
import { readProject } from './read-project.ts';
import { serverDocument } from './server-document.ts';
import { type ServerFacts, withFallback } from './server-facts.ts';

export interface DocumentRequest {
  /** By flags. */
  readonly said: ServerFacts;
  /** See `readProject`. */
  readonly from: string | undefined;
  readonly folder: string;
  /** Undefined where nobody can be asked. */
  readonly ask: AskText | undefined;
  readonly now: Date;
}

export interface MadeDocument {
  /** JSON, indented, with a line break at its end. */
  readonly text: string;
  /** What people are told beside. */
  readonly told: readonly string[];
}

/**
 * A server.json that keeps the rules for publishing, of flags, a project's file
 * and answers. Throws ERR_INIT_PROJECT with everything that is missing or
 * wrong, and ERR_INIT_PROJECT.
 */
export async function makeDocument({ said, from, folder, ask, now }: DocumentRequest): Promise<MadeDocument> {
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
    told: [
      ...(file === undefined ? [] : [`note: what was not said is from ${file}`]),
      ...problemLines(warnings).map((line) => `warning: ${line.trimStart()}`),
    ],
  };
}
