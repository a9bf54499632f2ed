import { parse, stringify } from 'yaml';

const AUTH = 'auth: { mode: anonymous }\n';

/** Whether a block in YAML is a configuration of a registry server, or a part of one. */
export function isConfiguration(text: string): boolean {
  return /^(?:sources|registries|auth|apiSources|audit|database|middleware|pages|server|telemetry):/m.test(
    text,
  );
}

/** A whole configuration of a part of one in YAML, which a page shows and which may leave out what is needed. */
export function completeConfiguration(part: string): string {
  const sources = /^sources:/m.test(part) ? [] : [sourcesFor(part)];
  return [part, ...sources, ...(/^auth:/m.test(part) ? [] : [AUTH])].join('\n');
}

/** The sources that its registries name; without registries, one of each. */
function sourcesFor(part: string): string {
  const shown: unknown = Object(parse(part)).registries;
  const registries = Array.isArray(shown) ? shown : [{ name: 'shown', sources: ['shown'] }];
  const names = new Set(registries.flatMap((registry): readonly unknown[] => Object(registry).sources));
  const sources = [...names].map((name) => ({
    name,
    file: { path: './shown.json' },
    syncPolicy: { interval: '1h' },
  }));
  return stringify({ sources, ...(Array.isArray(shown) ? {} : { registries }) });
}

/** A value for each `${NAME}` in it. */
export function variablesOf(part: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...part.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'for-the-test']),
  );
}
