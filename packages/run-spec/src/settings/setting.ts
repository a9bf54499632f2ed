/**
 * Origin of a setting, highest precedence first. `rule` means that other settings of the same workload
 * determine it.
 */
export type SettingOrigin = 'flag' | 'file' | 'registry' | 'user' | 'image' | 'rule' | 'default';

/** A value with its origin, for `plan`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly from: SettingOrigin;
  /** Name of the origin: a flag, a key of the user's settings, or the rule as a sentence. */
  readonly by: string;
}

/** Possible value of a setting from one origin. Candidates without a value are skipped. */
export interface Candidate<Value> {
  readonly value: Value | undefined;
  readonly from: SettingOrigin;
  readonly by: string;
}

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

export function flagSetting<Value>(flag: string, value: Value | undefined, fallback: Value): Setting<Value> {
  return pickSetting([{ value, from: 'flag', by: flag }], fallback);
}

/** Maps a value; returns undefined for undefined. */
export function mapped<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}
