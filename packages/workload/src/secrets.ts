export { findSecretUsers } from './secrets/find-secret-users.ts';
export { deleteSecret, getSecret, importSecrets, listSecrets, setSecret } from './secrets/manage-secrets.ts';
export { findOwnSecret } from './secrets/store-secrets.ts';
export { chooseSecretsProvider } from './secrets/set-up-provider.ts';
