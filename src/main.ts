import { main } from './cli/program/args.js';
import { processIo } from './cli/program/io.js';

// Not process.exit: what was written to a pipe has yet to leave.
process.exitCode = await main(process.argv.slice(2), processIo(process));
