import type { ApiResponse, ApiRequest, Tracer } from '@portolan/plugin-api';
import type Koa from 'koa';
import type { Middleware, RequestContext, RequestState } from '../request/request-state.ts';
import { answerInProcess } from './in-process.ts';

/**
 * Headers that an API request of a page copies from the request of the browser, because they identify the
 * sender and the address.
 */
const OF_THE_SENDER = [
  'host',
  'user-agent',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
];

/** Sends a request of a page to the API; see `PageRequest.api`. */
export type AskApi = (
  page: RequestContext,
  request: ApiRequest,
  authorization: string | undefined,
) => Promise<ApiResponse>;

export function apiOf(
  app: Koa<RequestState, object>,
  steps: readonly Middleware[],
  tracer: Tracer | undefined,
): AskApi {
  return async (page, { method = 'GET', path, query = {}, body, headers = {} }, authorization) => {
    if (!/^\/[^?#\s]*$/.test(path)) throw new TypeError(`a page requested ${path}; expected an escaped path`);
    const search = new URLSearchParams(query).toString();
    const {
      status,
      headers: answered,
      text,
    } = await answerInProcess(app, steps, {
      method,
      target: search === '' ? path : `${path}?${search}`,
      headers: {
        ...lowerCased(headers),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...senderOf(page),
        ...tracer?.headers(),
        'x-request-id': page.state.requestId,
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      outer: page.req,
    });
    return { status, headers: answered, json: jsonOf(answered['content-type'], text) };
  };
}

function senderOf({ req }: RequestContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    OF_THE_SENDER.flatMap((name) => {
      const value = req.headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    }),
  );
}

/**
 * Returns the headers with lower-case names. Drops an `Authorization` header that a page set, because only
 * the argument counts.
 */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const lower = name.toLowerCase();
      return lower === 'authorization' ? [] : [[lower, value] as const];
    }),
  );
}

function jsonOf(contentType: string | undefined, text: string): unknown {
  if (text === '' || !/^application\/(?:[\w.-]+\+)?json\b/.test(contentType ?? '')) return undefined;
  return JSON.parse(text);
}
