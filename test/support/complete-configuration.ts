import { parse, stringify } from 'yaml';

const AUTH = 'auth: { mode: anonymous }\n';

/** Returns true if a YAML block is a configuration of a registry server or a part of one. */
export function isConfiguration(text: string): boolean {
  return /^(?:sources|registries|auth|apiSources|audit|database|middleware|pages|server|telemetry):/m.test(
    text,
  );
}

/** Completes a part of a YAML configuration, as a page shows it, to a valid configuration. */
export function completeConfiguration(part: string): string {
  const sources = /^sources:/m.test(part) ? [] : [sourcesFor(part)];
  return [part, ...sources, ...(/^auth:/m.test(part) ? [] : [AUTH])].join('\n');
}

/** Returns the sources that the registries refer to. Without registries, returns one source of each kind. */
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

/** Returns a value for each `${NAME}` in the text. */
export function variablesOf(part: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...part.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'for-the-test']),
  );
}
