export { anonymousPolicy } from './access-policy.ts';
export type { AccessDecision, AccessPolicy } from './access-policy.ts';
