/** The fields of forms and toolbars. One without a visible label needs an `aria-label`. */
import type { ButtonHTMLAttributes, ComponentChildren, FormHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type Value<T> = { readonly value: T; readonly onValue: (value: T) => void };

type TextProps = Value<string> & {
  label?: string;
  "aria-label"?: string;
  placeholder?: string;
  class?: string;
  type?: "text" | "search";
  maxLength?: number;
  required?: boolean;
  autoFocus?: boolean;
  inputMode?: "numeric" | "decimal";
  /** Values to choose from, beside any other. */
  offered?: readonly string[];
};

export function TextField({ label, onValue, type = "text", offered, ...rest }: TextProps) {
  const id = useId();
  const field = (
    <>
      <input
        {...rest}
        type={type}
        list={offered && id}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {offered && (
        <datalist id={id}>
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
  if (!label) return field;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
    <label>
      {label}
      {field}
    </label>
  );
}

type Option = string | readonly [value: string, words: string];

export function Choice({
  label,
  options,
  value,
  onValue,
}: Value<string> & { label: string; options: readonly Option[] }) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map((option) => {
        const [key, words] = typeof option === "string" ? [option, option] : option;
        return (
          <option key={key} value={key}>
            {words}
          </option>
        );
      })}
    </select>
  );
}

/** With its label above it. */
export const LabelledChoice = (props: Value<string> & { label: string; options: readonly Option[] }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
  <label>
    {props.label}
    <Choice {...props} />
  </label>
);

export function Check({
  children,
  title,
  value,
  onValue,
}: Value<boolean> & { title?: string; children: ComponentChildren }) {
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

type FormProps = Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> & { onSend: () => unknown };

/** A form that this page answers itself. */
export const Form = ({ onSend, ...rest }: FormProps) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      void onSend();
    }}
  />
);

export const Button = (props: ButtonHTMLAttributes<HTMLButtonElement>) => <button type="button" {...props} />;

export const CloseButton = ({ onClose }: { onClose: () => void }) => (
  <Button class="quiet" aria-label="Close" title="Close (Esc)" onClick={onClose}>
    ✕
  </Button>
);

/** The reason why a form was refused; nothing while it was not. */
export const Refusal = ({ text }: { text: string }) =>
  text === "" ? null : (
    <p class="bad as-is" role="alert">
      {text}
    </p>
  );

/** A line of a list of terms. */
export const Pair = ({ label, children }: { label: ComponentChildren; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
