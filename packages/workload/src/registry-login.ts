export { describeRegistryLogin } from './registry-login/describe-registry-login.ts';
export { logInToRegistry } from './registry-login/log-in-to-registry.ts';
export { logOutOfRegistry } from './registry-login/log-out-of-registry.ts';
export { findLoginAccess } from './registry-login/login-access.ts';
export { findRegistryLogin } from './registry-login/registry-logins.ts';
