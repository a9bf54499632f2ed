/**
 * How strictly a document is judged. `publish`: somebody is there who can
 * correct it. `sync`: it comes from a catalogue as it is, and only what makes it
 * unusable keeps it out.
 */
export type Strength = 'publish' | 'sync';

export type Severity = 'error' | 'warning';

export interface Rule {
  readonly type: 'schema' | 'semantic' | 'linter';
  /** `off`: not looked at in this strength. */
  readonly publish: Severity;
  readonly sync: Severity | 'off';
}

const structure = { type: 'schema', publish: 'error', sync: 'error' } as const;
const identity = { type: 'semantic', publish: 'error', sync: 'error' } as const;
const meaning = { type: 'semantic', publish: 'error', sync: 'warning' } as const;
const advice = { type: 'semantic', publish: 'warning', sync: 'warning' } as const;

/**
 * Every rule beyond the schemas, by the identifier that issues carry as
 * `reference`. Without the right name and version an entry could not be found
 * or would shadow another one, so these two are errors in both strengths.
 */
export const RULES = {
  'document-size': structure,
  'skill-status': structure,
  'name-format': identity,
  'name-short-part': advice,
  'version-concrete': identity,
  'schema-known': meaning,
  'title-blank': meaning,
  'website-https': meaning,
  'icon-https': meaning,
  'repository-host': advice,
  'repository-subfolder': meaning,
  'package-identifier': meaning,
  'package-hash': meaning,
  'argument-name': meaning,
  'argument-value': meaning,
  'transport-url': meaning,
  'template-name': meaning,
  'value-name': advice,
  'remote-address': meaning,
  'metadata-size': meaning,
  'runtime-hint': { type: 'linter', publish: 'warning', sync: 'off' },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
