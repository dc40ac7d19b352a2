/** The part of `pg` that the store uses: the package ships no types, and these few lines are checked by using them. */
declare module "pg" {
  export type Config = {
    readonly connectionString: string;
    readonly application_name?: string;
    readonly connectionTimeoutMillis?: number;
    readonly keepAlive?: boolean;
    readonly max?: number;
  };
  /** With a name it is prepared once per connection. */
  export type Statement = {
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
  };
  export type Result = { readonly rows: Record<string, string | number | null>[] };

  /** The protocol, message by message. */
  export interface Connection {
    readonly stream: { cork(): void; uncork(): void };
    parse(statement: { readonly text: string; readonly name: string }): void;
    bind(statement: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
    describe(what: { readonly type: "P"; readonly name: string }): void;
    execute(portal: object): void;
    close(what: { readonly type: "S"; readonly name: string }): void;
    sync(): void;
  }
  export type RowDescription = {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  };
  export type DataRow = { readonly fields: readonly (string | null)[] };
  /** A query that speaks the protocol itself. After `handleError` nothing more is told. */
  export interface Submittable {
    submit(connection: Connection): void;
    handleRowDescription(message: RowDescription): void;
    handleDataRow(message: DataRow): void;
    handleCommandComplete(): void;
    handleReadyForQuery(): void;
    handleError(error: Error): void;
  }

  export interface Client {
    connect(): Promise<void>;
    query(statement: Statement | string): Promise<Result>;
    query(own: Submittable): Submittable;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "end", listener: () => void): this;
    on(event: "notification", listener: (message: { readonly payload?: string }) => void): this;
    end(): Promise<void>;
  }
  /** With an error the connection is closed instead of being used again. */
  export interface PoolClient extends Client {
    release(error?: Error | boolean): void;
  }
  export interface Pool {
    connect(): Promise<PoolClient>;
    query(statement: Statement | string): Promise<Result>;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "connect", listener: (client: PoolClient) => void): this;
    end(): Promise<void>;
  }
  const pg: {
    readonly Client: new (config: Config) => Client;
    readonly Pool: new (config: Config) => Pool;
  };
  export default pg;
}
