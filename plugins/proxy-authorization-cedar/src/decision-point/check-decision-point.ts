import type { KindProblem } from '@portolan/plugin-api';
import type { DecisionPointConfig } from './decision-point-config.ts';

/** What the schema cannot say of a decision point. */
export function checkDecisionPoint({ pdp: { http } }: DecisionPointConfig): readonly KindProblem[] {
  const url = URL.parse(http.url);
  const place = 'pdp.http.url';
  const expected = 'an http or https address without login, query and fragment';
  return [
    ...(url === null || !/^https?:$/.test(url.protocol)
      ? [{ place, found: 'no such address', expected }]
      : []),
    ...(url !== null && `${url.username}${url.password}${url.search}${url.hash}` !== ''
      ? [{ place, found: 'an address with more in it', expected }]
      : []),
    ...(http.insecure_skip_verify
      ? [
          {
            place: 'pdp.http.insecure_skip_verify',
            found: 'true',
            expected: 'false, with --cli-ca-bundle for a certificate of your own',
          },
        ]
      : []),
  ];
}
