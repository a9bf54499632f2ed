type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with secrets, for Portolan and the secret providers' programs. */
const SECRET = [
  /^(?:PORTOLAN|TOOLHIVE)_SECRET_/,
  /^(?:PORTOLAN|TOOLHIVE)_(?:.*_)?(?:PASSWORD|SECRET|TOKEN)$/,
  /^OP_(?:SERVICE_ACCOUNT_TOKEN$|CONNECT_TOKEN$|SESSION)/,
];

/**
 * Number of libuv threads. DNS lookups may use half of them: three for the workload, one for the supervisor.
 */
const THREADS = '8';

/**
 * Returns the command's environment without secrets. A supervisor gets those that it needs in its order,
 * opens no secret store, and lives as long as the workload.
 */
export function supervisorEnvironment(environment: Environment): Environment {
  const kept = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !SECRET.some((pattern) => pattern.test(name))),
  );
  return { UV_THREADPOOL_SIZE: THREADS, ...kept };
}
