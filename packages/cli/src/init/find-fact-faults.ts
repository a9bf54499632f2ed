import { findImageReference } from '@portolan/outbound';
import type { ServerFacts } from './server-facts.ts';

/** Problem of facts that prevents the creation of a document. */
export interface FactFault {
  readonly flag: string;
  readonly message: string;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns the problems of facts that would not be visible in the document. */
export function findFactFaults({ runs, variables, secrets, transport }: ServerFacts): readonly FactFault[] {
  const hasPackage = runs.some((text) => !isRemote(text));
  return [
    ...runs.flatMap((text) => {
      const message = faultInRun(text, transport);
      return message === undefined ? [] : [{ flag: '--runs', message }];
    }),
    ...named('--variable', variables, hasPackage),
    ...named('--secret', secrets, hasPackage),
  ];
}

export function isRemote(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function faultInRun(text: string, transport: string | undefined): string | undefined {
  const match = JSON.stringify(text.slice(0, 200));
  if (isRemote(text))
    return transport === 'stdio'
      ? `found ${match} with the transport stdio; expected streamable-http or sse`
      : undefined;
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined)
    return findImageReference(text) === undefined ? `found ${match}; expected ${FORMS}` : undefined;
  return scheme === 'npx' || scheme === 'uvx' ? undefined : `found ${match}; expected ${FORMS}`;
}

const FORMS = 'npx://PACKAGE@VERSION, uvx://PACKAGE@VERSION, an image, or the address of a remote server';

function named(flag: string, names: readonly string[], hasPackage: boolean): readonly FactFault[] {
  const wrong = names.filter((name) => !VARIABLE.test(name));
  return [
    ...wrong.map((name) => ({
      flag,
      message: `found ${JSON.stringify(name)}; expected the name of a variable`,
    })),
    ...(names.length > 0 && !hasPackage
      ? [{ flag, message: 'found variables without a package or an image in --runs' }]
      : []),
  ];
}
