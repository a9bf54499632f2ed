import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { WebhookConfig, WebhooksConfig } from './webhooks-config.ts';

const [SHORTEST_MS, MAX_MS] = [1000, 30_000];

/** Checks the settings: addresses, times, certificates, repeated names, missing files. */
export function checkWebhooks(
  { webhooks }: WebhooksConfig,
  { directory }: { readonly directory: string },
): readonly KindProblem[] {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const problems = findProblems(webhook, directory);
    if (names.has(webhook.name)) {
      problems.push({ place: 'name', found: `${webhook.name} again`, expected: 'a name of its own' });
    }
    names.add(webhook.name);
    return problems.map((problem) => ({ ...problem, place: `webhooks[${index}].${problem.place}` }));
  });
}

function findProblems({ url, timeout, tls, hmacSecret }: WebhookConfig, directory: string): KindProblem[] {
  const problems: KindProblem[] = [];
  const address = URL.parse(url);
  const schemes = tls.insecureSkipVerify ? ['https:', 'http:'] : ['https:'];
  if (address === null || !schemes.includes(address.protocol)) {
    const found = address === null ? 'no address' : `the scheme ${address.protocol}`;
    problems.push({ place: 'url', found, expected: schemes.join(' or ') });
  } else if (address.username !== '' || address.password !== '') {
    problems.push({ place: 'url', found: 'a name or password', expected: 'an address without them' });
  }
  const ms = parseDuration(timeout);
  if (!(ms >= SHORTEST_MS && ms <= MAX_MS)) {
    problems.push({ place: 'timeout', found: timeout, expected: 'a time from 1s to 30s' });
  }
  const { caBundle, clientCertificate, clientKey } = tls;
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const place = clientKey === undefined ? 'tls.clientKey' : 'tls.clientCertificate';
    problems.push({ place, found: 'nothing', expected: 'certificate and key, or neither' });
  }
  const files = [
    ['tls.caBundle', caBundle],
    ['tls.clientCertificate', clientCertificate],
    ['tls.clientKey', clientKey],
    ['hmacSecret', fileOf(hmacSecret)],
  ] as const;
  for (const [place, file] of files) {
    if (file === undefined || existsSync(path.resolve(directory, file))) continue;
    problems.push({ place, found: `${file}, which does not exist`, expected: 'a file' });
  }
  return problems;
}

/** Returns the path of a setting; undefined if it is the name of a secret. */
export function fileOf(hmacSecret: string | undefined): string | undefined {
  return hmacSecret !== undefined && path.isAbsolute(hmacSecret) ? hmacSecret : undefined;
}
