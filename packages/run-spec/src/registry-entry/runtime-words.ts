import { type JsonMembers, memberOf, textMember } from '../document/json-members.ts';
import { splitOption } from './docker-options.ts';

/**
 * Joins each option with its value in one named argument. Entries write them in several ways: `--net=none` as
 * one name, `-e` and `A=B` as two positional arguments, or `-it`. Other words stay positional.
 */
export function joinRuntimeArguments(
  items: readonly JsonMembers[],
  takesValue: (name: string) => boolean,
): readonly JsonMembers[] {
  const joined: JsonMembers[] = [];
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] ?? {};
    const word = wordOf(item);
    if (word === undefined) {
      joined.push(item);
      continue;
    }
    const options = splitOption(word, takesValue);
    const last = options.at(-1);
    for (const { option, value } of options.slice(0, -1)) joined.push(named({}, option ?? '', value));
    if (last?.option === undefined) continue;
    const isNamed = memberOf(item, 'type') === 'named';
    const own = last.value === undefined && isNamed ? item : { ...item, value: last.value };
    const next = items[at + 1];
    const isSplit = next !== undefined && takesValue(last.option) && !asksForValue(own) && isPlain(next);
    if (isSplit) at += 1;
    joined.push(
      isSplit
        ? { ...next, type: 'named', name: last.option, isRequired: isRequired(item) || isRequired(next) }
        : named(own, last.option, textMember(own, 'value')),
    );
  }
  return joined;
}

function named(item: JsonMembers, name: string, value: string | undefined): JsonMembers {
  const { value: _, ...rest } = item;
  return { ...rest, type: 'named', name, ...(value === undefined ? {} : { value }) };
}

/** Returns the option that an argument consists of; undefined for other arguments. */
function wordOf(item: JsonMembers): string | undefined {
  const text = memberOf(item, 'type') === 'named' ? textMember(item, 'name') : textMember(item, 'value');
  return text !== undefined && /^-./.test(text) ? text : undefined;
}

/**
 * Returns whether an argument declares a value of its own. `isRequired` alone does not count, because the
 * next argument may be the value.
 */
function asksForValue(item: JsonMembers): boolean {
  return ['value', 'default', 'valueHint', 'placeholder', 'choices', 'format', 'isSecret'].some(
    (key) => memberOf(item, key) !== undefined && memberOf(item, key) !== false,
  );
}

function isPlain(item: JsonMembers): boolean {
  return memberOf(item, 'type') !== 'named' && wordOf(item) === undefined;
}

function isRequired(item: JsonMembers): boolean {
  return memberOf(item, 'isRequired') === true;
}
