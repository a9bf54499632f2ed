import type { TextKind } from './read-texts.ts';

/** A word or form that texts should not have. */
export interface WordingRule {
  /** Key of the rule in the baseline. */
  readonly name: string;
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
  /** Kinds of text that the rule covers. The default is all. */
  readonly kinds?: readonly TextKind[];
}

const CODE: readonly TextKind[] = ['comment', 'docstring'];

/** Rules of `docs/contributing/writing.md` that a pattern can check. */
export const WORDING_RULES: readonly WordingRule[] = [
  { name: 'answer', pattern: /\banswer(?:s|ed|ing)?\b/i, instead: '"response", "responds", "returns"' },
  {
    name: 'whoever',
    pattern: /\b(?:whoever|whatever|whom)\b/i,
    instead: 'the noun: caller, client, operator, user',
  },
  {
    name: 'archaism',
    pattern: /\b(?:anew|dear|thereby|lest|thence|hence|whereof|nought)\b/i,
    instead: 'a common word',
  },
  { name: 'beside', pattern: /\bbeside\b/i, instead: '"with", "next to", "besides"' },
  {
    name: 'passive-told',
    pattern: /\b(?:is|are|was|were|be|been) (?:told|asked|said|had|begun)\b/i,
    instead: 'an active verb with its subject: "the proxy reports"',
  },
  {
    name: 'as-long-as-it-likes',
    pattern: /\b(?:as (?:it|they) likes?|nobody|somebody)\b/i,
    instead: 'the noun: user, process, client',
  },
  { name: 'surroundings', pattern: /\bsurroundings\b/i, instead: '"environment" or "context"' },
  {
    name: 'metaphor',
    pattern: /\b(?:harbour|wing|guest|household|sails?|doors?)\b/i,
    instead: 'the term: package, module, public API, entry point',
  },
  {
    name: 'stands-in',
    pattern: /\bstands? (?:in|for|beside|there|behind)\b/i,
    instead: '"is in", "represents", "follows"',
  },
  {
    name: 'docstring-start',
    pattern: /^(?:It|Its|One|Of|That|The same|Where|What|Whoever|With|By|In|On|For|From|To|At)\b/,
    instead: 'a verb in the third person ("Returns …") or what the thing is ("Maximum number of …")',
    kinds: ['docstring'],
  },
  { name: 'negation-last', pattern: /\b\w+s (?:not|no more)\.$/, instead: '"does not …"', kinds: CODE },
];

/** Returns the rules that a text breaks. */
export function findFaults(kind: TextKind, text: string): readonly WordingRule[] {
  return WORDING_RULES.filter(({ kinds, pattern }) => (kinds?.includes(kind) ?? true) && pattern.test(text));
}
