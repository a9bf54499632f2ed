/** Where a setting is from, strongest first; `rule` is a decision by other settings. */
export type SettingOrigin = 'flag' | 'file' | 'registry' | 'user' | 'image' | 'rule' | 'default';

/** A value, and for `plan` where it is from. */
export interface Setting<Value> {
  readonly value: Value;
  readonly from: SettingOrigin;
  /** What exactly: a flag, a key of the user's settings, a rule in a sentence. */
  readonly by: string;
}

/** One place a setting may be from; without a value it is passed over. */
export interface Candidate<Value> {
  readonly value: Value | undefined;
  readonly from: SettingOrigin;
  readonly by: string;
}

/** The first candidate that has a value. Without one, the default. */
export function pickSetting<Value>(
  candidates: readonly Candidate<Value>[],
  fallback: Value,
  by = 'built in',
): Setting<Value> {
  for (const { value, from, by: source } of candidates) {
    if (value !== undefined) return { value, from, by: source };
  }
  return { value: fallback, from: 'default', by };
}

/** A setting that only a flag can name. */
export function flagSetting<Value>(flag: string, value: Value | undefined, fallback: Value): Setting<Value> {
  return pickSetting([{ value, from: 'flag', by: flag }], fallback);
}

/** Undefined stays what it is. */
export function mapped<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}
