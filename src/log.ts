import { pino } from 'pino';
import type { DestinationStream } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

/** Where the guard says what it did: one JSON line a call, fields first. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Standard error; calls once nobody reads it any more. The rest of what is logged is dropped then. */
export function standardError(onUnread: () => void): DestinationStream {
  const stream = pino.destination(2);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') onUnread();
  });
  return stream;
}

/** Writes to standard error unless told otherwise: standard output belongs to what a command reports. */
export function createLog(level: LogLevel = 'info', destination: DestinationStream = pino.destination(2)): Log {
  const options = {
    level,
    // The pod and the host are known to whoever collects the logs.
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}

const ignore = (): void => undefined;

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
