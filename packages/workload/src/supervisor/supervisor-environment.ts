type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that hold secrets, of Portolan and of the programs that it asks for secrets. */
const SECRET = [
  /^(?:PORTOLAN|TOOLHIVE)_SECRET_/,
  /^(?:PORTOLAN|TOOLHIVE)_(?:.*_)?(?:PASSWORD|SECRET|TOKEN)$/,
  /^OP_(?:SERVICE_ACCOUNT_TOKEN$|CONNECT_TOKEN$|SESSION)/,
];

/** Number of libuv threads. Half of them look up names: three for the workload, one for the supervisor. */
const THREADS = '8';

/**
 * The variables of a supervisor: those of the command that starts it, without
 * the ones that hold secrets. It is handed the secrets that it needs, opens no
 * secret store, and lives for as long as the workload.
 */
export function supervisorEnvironment(environment: Environment): Environment {
  const kept = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !SECRET.some((pattern) => pattern.test(name))),
  );
  return { UV_THREADPOOL_SIZE: THREADS, ...kept };
}
