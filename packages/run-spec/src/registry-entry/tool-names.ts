import type { JsonObject } from '@portolan/plugin-api';
import { memberOf, objectsIn, textMember, textsIn } from '../document/json-members.ts';
import { PUBLISHER_PROVIDED } from './find-extension.ts';

/** Key under which `portolan publish --with-tools` stores definitions. Repeats that of `entry-format`, see above. */
const PORTOLAN = 'dev.portolan';

/**
 * Returns the names of a server's tools: those of its published definitions, else those that the publisher
 * lists in `extension`. Undefined when the entry lists none.
 */
export function toolNamesOf(document: JsonObject, extension: unknown): readonly string[] | undefined {
  const publisher = memberOf(memberOf(document, '_meta'), PUBLISHER_PROVIDED);
  const definitions = memberOf(memberOf(publisher, PORTOLAN), 'definitions');
  if (Array.isArray(memberOf(definitions, 'tools')))
    return objectsIn(definitions, 'tools').flatMap((tool) => textMember(tool, 'name') ?? []);
  return Array.isArray(memberOf(extension, 'tools')) ? textsIn(extension, 'tools') : undefined;
}
