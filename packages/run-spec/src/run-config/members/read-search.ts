import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import type { JsonMembers } from '../../document/json-members.ts';
import { findNameFault, SEARCH_TOOLS } from '../../members/exposed-name.ts';
import { SEARCH_MODES, type SearchFields } from '../../members/member.ts';
import { hasValue } from './read-names.ts';
import { refuseUnknown } from './refuse-unknown.ts';

const KEYS = ['mode', 'above_tokens', 'always', 'index'];

/** Reads the settings of the tool search. */
export function readSearch(fields: FieldReader, map: JsonMembers, at: string): SearchFields {
  refuseUnknown(fields, map, at, { known: KEYS });
  const text = fields.text(map, 'mode', at);
  const mode = SEARCH_MODES.find((one) => one === text);
  if (text !== '' && mode === undefined) {
    fields.problem(pathOf(at, 'mode'), text, `one of ${SEARCH_MODES.join(', ')}`);
  }
  const above = hasValue(map, 'above_tokens') ? fields.integer(map, 'above_tokens', at) : undefined;
  if (above !== undefined && above < 0) {
    fields.problem(pathOf(at, 'above_tokens'), above, 'a number of tokens that is not negative');
  }
  const always = hasValue(map, 'always') ? fields.texts(map, 'always', at) : undefined;
  always?.forEach((name, index) => {
    const fault = SEARCH_TOOLS.some((tool) => tool === name)
      ? 'it is listed in any case'
      : findNameFault(name);
    if (fault === undefined) return;
    fields.problem(`${pathOf(at, 'always')}[${index}]`, name, `an exposed name of a tool: ${fault}`);
  });
  const index = fields.text(map, 'index', at);
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(above === undefined ? {} : { above_tokens: above }),
    ...(always === undefined ? {} : { always }),
    ...(index === '' ? {} : { index }),
  };
}
