import { main } from './cli/args.js';
import { processIo } from './cli/io.js';

// Not process.exit: what was written to a pipe has yet to leave.
process.exitCode = await main(process.argv.slice(2), processIo(process));
