export { getClient } from './clients/client-table.ts';
export { listClients, registerClient, unregisterClient } from './clients/register-clients.ts';
