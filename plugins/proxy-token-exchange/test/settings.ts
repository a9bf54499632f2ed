import type { TokenExchangeConfig } from '../src/token-exchange-config.ts';

/** What is set where a test has nothing else to say. */
export const SETTINGS = {
  token_url: 'https://id.example/token',
  subject_token_type: 'access_token',
  header_strategy: 'replace',
  allow_private_ip: true,
  insecure_allow_http: false,
} as const satisfies TokenExchangeConfig;
