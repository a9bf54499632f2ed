import { findHeaderFault, isLoopbackHost } from '@portolan/outbound';
import type { KindProblem } from '@portolan/plugin-api';
import type { TokenExchangeConfig } from './token-exchange-config.ts';

const REFERENCE = /^[^,\s]+,target=[^,\s]+$/;

/** Returns the problems that the schema cannot find, without values of secrets. */
export function checkTokenExchange(config: TokenExchangeConfig): readonly KindProblem[] {
  const { client_secret: secret = '', client_id: id = '' } = config;
  const isReference = secret === '' || REFERENCE.test(secret);
  return [
    ...urlProblems(config),
    ...(isReference
      ? []
      : [problem('client_secret', 'a text that is no reference', 'a reference, NAME,target=TARGET')]),
    ...(secret !== '' && id === ''
      ? [problem('client_id', 'nothing', 'an id together with client_secret')]
      : []),
    ...headerProblems(config),
  ];
}

function urlProblems({
  token_url: text,
  insecure_allow_http: allowsHttp,
}: TokenExchangeConfig): readonly KindProblem[] {
  const url = URL.parse(text);
  const place = 'token_url';
  if (url === null || !/^https?:$/.test(url.protocol)) return [problem(place, 'no address', 'an https URL')];
  if (url.username !== '' || url.password !== '') {
    return [problem(place, 'an address with a login in it', 'client_id and client_secret')];
  }
  if (url.hash !== '') return [problem(place, 'an address with a fragment', 'one without')];
  if (url.protocol === 'https:' || allowsHttp || isLoopbackHost(url.hostname)) return [];
  return [
    problem(place, `${url.origin} without https`, 'an https URL (--oidc-insecure-allow-http for tests)'),
  ];
}

function headerProblems(config: TokenExchangeConfig): readonly KindProblem[] {
  const { header_strategy: strategy, external_token_header_name: name = '' } = config;
  const place = 'external_token_header_name';
  if (strategy !== 'custom') {
    return name === '' ? [] : [problem(place, JSON.stringify(name), 'header_strategy: custom as well')];
  }
  if (name === '')
    return [problem(place, 'nothing', 'the name of a header, since header_strategy is custom')];
  if (/^(?:authorization|cookie)$/i.test(name) || findHeaderFault(name, 'Bearer x') !== undefined) {
    return [
      problem(place, JSON.stringify(name.slice(0, 60)), 'a header of its own, such as X-Upstream-Token'),
    ];
  }
  return [];
}

function problem(place: string, found: string, expected: string): KindProblem {
  return { place, found, expected };
}
