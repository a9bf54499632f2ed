import { locateHiddenText } from '@portolan/entry-format';

/** Maximum number of places to name. */
const MAX_NAMED_PLACES = 10;

/** Returns a warning for each place of an entry with text that a model reads and a person does not see. */
export function warnOfHiddenText(name: string, document: unknown): readonly string[] {
  const matches = locateHiddenText(document);
  const warnings = matches
    .slice(0, MAX_NAMED_PLACES)
    .map(({ path, description }) => `The entry of ${name} has hidden text at ${path}: ${description}.`);
  const more = matches.length - warnings.length;
  return more > 0 ? [...warnings, `The entry of ${name} has hidden text at ${more} more places.`] : warnings;
}
