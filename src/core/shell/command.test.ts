/** These tests check what a line is opened to: each command with its words, and the commands that it runs in turn. */
import { describe, expect, it } from "vitest";
import { type Command, readLine } from "./command.ts";
import type { Word } from "./plain.ts";

const word = ({ text, exact }: Word): string => (exact ? text : `${text}?`);

/** `[inner]`, `{guesses}`; a word that is not known exactly has a question mark; `<|` names what is piped into it. */
const shown = ({ words, assigns, redirects, piped, within, inner, guesses }: Command): string =>
  [
    ...assigns.map(({ name, value }) => `${name}=${word(value)}`),
    ...words.map(word),
    ...redirects.map(({ op, to }) => op + word(to)),
    ...(piped.length > 0 ? [`<|${piped.map((one) => one.words[0]?.text).join(",")}`] : []),
    ...within.map((name) => `@${name}`),
    ...(inner.length > 0 ? [`[${inner.map(shown).join("; ")}]`] : []),
    ...(guesses.length > 0 ? [`{${guesses.map(shown).join("; ")}}`] : []),
  ].join(" ");

function opened(line: string): string {
  const { commands, sound, expandsOnly } = readLine(line);
  return commands.map(shown).join("; ") + (sound ? "" : " UNSOUND") + (expandsOnly ? "" : " EVALUATES");
}

describe("a program that runs another one", () => {
  it.each([
    ["sudo -u me rm a", "sudo -u me rm a [rm a]"],
    ["sudo -n -- rm a", "sudo -n -- rm a [rm a]"],
    ["sudo A=1 B=2 rm a", "sudo A=1 B=2 rm a [A=1 B=2 rm a]"],
    ["sudo", "sudo […?]"],
    ["doas", "doas […?]"],
    ["sudo -bg rm a", "sudo -bg rm a [rm a; a; …?]"],
    ["sudo -Z rm a", "sudo -Z rm a [rm a; a; …?]"],
    ["sudo -u me", "sudo -u me […?]"],
    ["sudo -u $X rm a", "sudo -u $X? rm a [rm a]"],
    ["env", "env"],
    ["env A=1 -i rm", "env A=1 -i rm [A=1 -i rm]"],
    ["env -i A=1 rm a", "env -i A=1 rm a [A=1 rm a]"],
    ["env -u A rm a", "env -u A rm a [rm a]"],
    ["env -- rm a", "env -- rm a [rm a]"],
    ["env - rm a", "env - rm a [rm a]"],
    ["nice A=1 rm", "nice A=1 rm [A=1 rm]"],
    ["nice -n 5 rm a", "nice -n 5 rm a [rm a]"],
    ["nice -S rm a", "nice -S rm a [rm a; a; …?]"],
    ["nice -v rm a", "nice -v rm a [rm a; a; …?]"],
    ["command -v rm", "command -v rm"],
    ["command -p rm a", "command -p rm a [rm a]"],
    ["env -v rm a", "env -v rm a [rm a]"],
    ["env -S 'rm a'", "env -S rm a [rm a; …?; …?]"],
    ["env -S 'a $(rm b)'", "env -S a $(rm b) [rm b; a $(…)?; …?; …?]"],
    ["env --split-string='rm a'", "env --split-string=rm a [rm a; …?; …?]"],
    ["env $X rm a", "env $X? rm a [$X? rm a]"],
    ['env "-$X" rm a', "env -$X? rm a [rm a; a; …?]"],
    ["timeout 5 rm a", "timeout 5 rm a [rm a]"],
    ["timeout -k 1 5 rm a", "timeout -k 1 5 rm a [rm a]"],
    ["timeout -k 5", "timeout -k 5"],
    ["exec -a x rm a", "exec -a x rm a [rm a]"],
    ["chroot /x rm a", "chroot /x rm a [rm a]"],
    ["nohup -c 'rm a'", "nohup -c rm a [rm a; …?]"],
    ["nohup nohup nohup rm a", "nohup nohup nohup rm a [nohup nohup rm a [nohup rm a [rm a]]]"],
    ["flock f rm a", "flock f rm a [rm a]"],
    ["flock f -c 'rm a'", "flock f -c rm a [rm a]"],
    ["flock f -c 'rm a' 'rm b'", "flock f -c rm a rm b [rm a]"],
    ["flock -w 1 f rm a", "flock -w 1 f rm a [rm a]"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("the words that xargs adds", () => {
  it.each([
    ["xargs", "xargs"],
    ["xargs rm <<< 'a b'", "xargs rm <<<a b [rm a b …?]"],
    ["xargs rm < a", "xargs rm <a [rm …?]"],
    ["find . | xargs rm", "find .; xargs rm <|find [rm …? <|find]"],
    ["echo a b | xargs rm", "echo a b; xargs rm <|echo [rm a b …? <|echo]"],
    ["printf 'a b' | xargs rm", "printf a b; xargs rm <|printf [rm a b …? <|printf]"],
    ["cat f | echo a b | xargs rm", "cat f; echo a b <|cat; xargs rm <|echo,cat [rm a b …? <|echo,cat]"],
    ["echo a | cat | xargs rm", "echo a; cat <|echo; xargs rm <|cat,echo [rm …? <|cat,echo]"],
    ["echo a | xargs -I X rm X b", "echo a; xargs -I X rm X b <|echo [rm X? b a …? <|echo]"],
    ["echo a | xargs -n 1 rm X b", "echo a; xargs -n 1 rm X b <|echo [rm X b a …? <|echo]"],
    ["echo a | xargs -in rm b", "echo a; xargs -in rm b <|echo [rm b a …? <|echo]"],
    ["echo a | xargs -0n 1 rm b", "echo a; xargs -0n 1 rm b <|echo [rm b a …? <|echo]"],
    ["echo a | xargs rm {} b", "echo a; xargs rm {} b <|echo [rm {}? b a …? <|echo]"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("a shell and its text", () => {
  it.each([
    ["bash -c 'rm a'", "bash -c rm a [rm a]"],
    ["bash -c 'rm a' b c", "bash -c rm a b c [rm a]"],
    ["bash -ec 'rm a; ls'", "bash -ec rm a; ls [rm a; ls]"],
    ["bash -c", "bash -c"],
    ["bash -o posix -c 'rm a'", "bash -o posix -c rm a [rm a]"],
    ["bash +x -c 'rm a'", "bash +x -c rm a [rm a]"],
    ["bash -c -- 'rm a'", "bash -c -- rm a [rm a]"],
    ["bash -- a.sh", "bash -- a.sh"],
    ["bash -- -c", "bash -- -c"],
    ["bash a.sh", "bash a.sh"],
    ["bash a.sh -s", "bash a.sh -s"],
    ["bash $X", "bash $X? […?]"],
    ["bash -s a", "bash -s a […?]"],
    ["bash -e a.sh", "bash -e a.sh"],
    ["bash -x", "bash -x […?]"],
    ["bash --version", "bash --version"],
    ["bash --rcfile a -c 'rm b'", "bash --rcfile a -c rm b […?]"],
    ["bash /dev/stdin", "bash /dev/stdin […?]"],
    ["bash $O -c 'rm a'", "bash $O? -c rm a […?]"],
    ["bash -x $X", "bash -x $X? […?]"],
    ["echo rm a | bash", "echo rm a; bash <|echo [rm a]"],
    ["echo -n rm a | bash", "echo -n rm a; bash <|echo [rm a]"],
    ["echo rm $X | bash", "echo rm $X?; bash <|echo [rm $X?; …?]"],
    ["echo 'rm\\ta' | bash", "echo rm\\ta; bash <|echo [rmta; …?]"],
    ["printf 'rm a' | bash", "printf rm a; bash <|printf [rm a; …?]"],
    ["cat a | bash", "cat a; bash <|cat […?]"],
    ["bash <<< 'rm a'", "bash <<<rm a [rm a]"],
    ["sh -c 'ls &> a'", "sh -c ls &> a [ls &>a; …?]"],
    ["sh <<< 'ls &> a'", "sh <<<ls &> a [ls &>a; …?]"],
    ["echo 'ls &> a' | sh", "echo ls &> a; sh <|echo [ls &>a; …?]"],
    ["bash -c 'ls &> a'", "bash -c ls &> a [ls &>a]"],
    ["sh -c 'X=1; rm $X'", "sh -c X=1; rm $X [X=1; rm 1?]"],
    ["X=rm; bash -c '$X a'", "X=rm; bash -c $X a [rm? a]"],
    ["eval rm a", "eval rm a [rm a]"],
    ["eval 'rm a' '&& ls'", "eval rm a && ls [rm a; ls]"],
    ["eval $X", "eval $X? [$X?; …?]"],
    ["trap 'rm a' EXIT", "trap rm a EXIT [rm a]"],
    ["trap -- 'rm a' EXIT", "trap -- rm a EXIT [rm a]"],
    ["alias a='rm b' c=ls", "alias a=rm b c=ls [rm b; ls]"],
    ["su -c 'rm a'", "su -c rm a [rm a]"],
    ["su me -c 'rm a' x", "su me -c rm a x [rm a]"],
    ["su me", "su me"],
    ["script --command 'rm a'", "script --command rm a [rm a]"],
    ["hash -p /x ls", "hash -p /x ls […?]"],
    ["hash -r", "hash -r"],
    ["enable -f x y", "enable -f x y […?]"],
    ["source a", "source a"],
    ["source a $X", "source a $X?"],
    ["source $X", "source $X? […?]"],
    [". /dev/stdin", ". /dev/stdin […?]"],
    [". a /dev/stdin", ". a /dev/stdin"],
    [
      'bash -c "bash -c \'bash -c \\"rm a\\"\'"',
      'bash -c bash -c \'bash -c "rm a"\' [bash -c bash -c "rm a" [bash -c rm a [rm a]]]',
    ],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("git, interpreters and launchers", () => {
  it.each([
    ["git log", "git log"],
    ["git -c alias.x='!rm a' x", "git -c alias.x=!rm a x [-c rm a x; …?]"],
    ["git bisect run rm a", "git bisect run rm a [bisect run rm a; …?]"],
    ["git rebase -x 'rm a'", "git rebase -x rm a [rebase -x rm a; …?]"],
    ["git rebase main", "git rebase main"],
    ["git log -x", "git log -x"],
    ["git submodule foreach 'rm a'", "git submodule foreach rm a [submodule foreach rm a; …?]"],
    ["python3 a.py", "python3 a.py"],
    ["python3 -c 'x'", "python3 -c x {…?}"],
    ["python3 -c 'x' a.py", "python3 -c x a.py {…?}"],
    ["cat a | python3", "cat a; python3 <|cat {…?}"],
    ["cat a | python3 a.py", "cat a; python3 a.py <|cat"],
    ["python3 < a", "python3 <a {…?}"],
    ["python3 > a", "python3 >a"],
    ["python3 /dev/stdin", "python3 /dev/stdin {…?}"],
    ["python3", "python3"],
    ["awk '{print}' a", "awk {print} a"],
    ["awk '{print | \"rm a\"}' a", 'awk {print | "rm a"} a {…?}'],
    ["cat a | awk '{print}'", "cat a; awk {print} <|cat"],
    ["node -e 'x'", "node -e x {…?}"],
    ["watch rm a", "watch rm a {rm a; a}"],
    [
      "watch a b c d e f g h i j",
      "watch a b c d e f g h i j {a b c d e f g h i j; b c d e f g h i j; c d e f g h i j; d e f g h i j; e f g h i j; f g h i j; g h i j; h i j}",
    ],
    ["npm exec rm", "npm exec rm {exec rm [rm]; rm}"],
    ["npm x", "npm x {x}"],
    ["npm install rm", "npm install rm"],
    ["npx x", "npx x {x}"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("the commands of find", () => {
  it.each([
    ["find . -exec rm {} ';'", "find . -exec rm {} ; [rm {}]"],
    ["find . -exec rm {} +", "find . -exec rm {} + [rm {}]"],
    [
      "find . -exec rm {} ';' -exec ls {} ';' -name x",
      "find . -exec rm {} ; -exec ls {} ; -name x [rm {}; ls {}]",
    ],
    ["find . -ok rm ';' -print", "find . -ok rm ; -print [rm]"],
    ["find . -execdir sh -c 'rm {}' ';'", "find . -execdir sh -c rm {} ; [sh -c rm {}? [rm {}; …?]]"],
    ["find . -exec {} ';'", "find . -exec {} ; [{}?]"],
    ["find . -exec rm a{} b ';'", "find . -exec rm a{} b ; [rm a{}? b]"],
    ["find . -exec rm", "find . -exec rm [rm]"],
    ["find . -exec ls -exec rm ';'", "find . -exec ls -exec rm ; [ls -exec rm]"],
    ["find -exec rm ';'", "find -exec rm ; [rm]"],
    ["find -name a", "find -name a"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("lists, loops and functions", () => {
  it.each([
    ["(rm a)", "rm a"],
    ["{ rm a; } > b", "rm a; >b"],
    ["(ls) < in", "ls; <in"],
    ["cat x | (ls) < in", "cat x; ls; <in <|cat"],
    ["f() { rm a; }; f; ls", "rm a @f; f; ls"],
    ["f() { g() { rm a; }; ls; }; ls", "rm a @f @g; ls @f; ls"],
    ["function f { rm a; }", "rm a @f"],
    ["for x in a b; do rm $x; done", "rm a; rm b"],
    ['for x in a *; do rm $x "$x"; done', "rm a a; rm *? *"],
    ["for x in a b; do rm ${x}c; done", "rm ac; rm bc"],
    ['for x in a b; do rm "$x.c"; done', "rm a.c; rm b.c"],
    ["for x in a b; do read x; rm $x; done", "read x; rm a?; read x; rm b?"],
    ["for x in a b; do rm ${x%a} ${#x}; done", "rm a? a?; rm b? b?"],
    ["for x in a; do x=b; rm $x; done", "x=b; rm b?"],
    ["for x in $y; do rm $x; done", "rm $y?"],
    ["for PATH in a; do ls; done", "PATH=a?; ls"],
    ["for x in a b; do ls > $x; done", "ls >a; ls >b"],
    ["for x in 'a b'; do rm $x$x; done", "rm a? ba? b?"],
    ["select x in a b; do rm $x; done", "rm a? b?"],
    ["if ls; then rm a; else rm b; fi", "ls; rm a; rm b"],
    ["while ls; do rm a; done", "ls; rm a"],
    ["case $x in a) rm a;; *) rm b;; esac", "rm a; rm b"],
    ["case $(rm a) in $(rm b)) ls;; esac", "rm a; rm b; ls"],
    ["((x = 1))", " EVALUATES"],
    ["((x[$(rm a)]))", "rm a UNSOUND EVALUATES"],
    ["for ((i=0; i<3; i++)); do rm a; done", "rm a EVALUATES"],
    ["ls | grep x | sort", "ls; grep x <|ls; sort <|grep,ls"],
    ["ls | (cat; rm a) | sort", "ls; cat; rm a; sort <|rm,cat,ls"],
    ["(ls) | $x", "ls; $x? <|ls"],
    ["$x; ls && rm a || ls &", "$x?; ls; rm a; ls"],
    ["ls $x |& cat", "ls $x?; cat <|ls"],
    ["coproc rm a", "rm a"],
    ["time rm $x", "rm $x?"],
    ["! rm $x", "rm $x?"],
    ["ls & rm $x", "ls; rm $x?"],
    ["ls $x &&", "ls $x? UNSOUND"],
    ["ls $x )", "ls $x? UNSOUND"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("builtins that evaluate what they are given", () => {
  it.each([
    ["/dev/stdin $x", "/dev/stdin? $x?"],
    ["declare a=$x c", "declare a=$x? c EVALUATES"],
    ["export A=$(rm a)", "rm a; export A=$(…)?"],
    ["let x=$y", "let x=$y? EVALUATES"],
    ["unset $x", "unset $x? EVALUATES"],
    ["read x $y", "read x $y? UNSOUND EVALUATES"],
    ["read x; echo $x", "read x; echo $x?"],
    ["read -r x; echo $x", "read -r x; echo $x?"],
    ["read X; echo $x", "read X; echo $x? UNSOUND EVALUATES"],
    ["test -v $x", "test -v $x? EVALUATES"],
    ["test -f $x", "test -f $x?"],
    ["printf -v x $y", "printf -v x $y? EVALUATES"],
    ["printf x $y", "printf x $y?"],
    ["echo let $x", "echo let $x?"],
    ["[[ -f a && b == $(rm c) ]]", "rm c; [[ a b $(…)?"],
    ["[[ a -eq b ]]", "[[ a b EVALUATES"],
    ["[[ -v x ]]", "[[ x EVALUATES"],
    ["[[ a < b ]]", "[[ a b"],
    ["[[ -v $(rm a) ]]", "rm a; [[ $(…)? UNSOUND EVALUATES"],
    ["ls $x | [[ a ]]", "ls $x?; [[ a <|ls"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("redirections", () => {
  it.each([
    ["ls {fd}> a", "ls >a UNSOUND"],
    ["cat <<'EOF'\n$(rm a)\nEOF", "cat <<$(rm a)\n"],
    ["cat <<EOF\n$(rm a) $x\nEOF", "rm a; cat <<$_ $x\n?"],
    ["cat <<EOF\nno end", "cat <<no end UNSOUND"],
    ["cat <<EOF\nplain\nEOF", "cat <<plain\n"],
    ["ls $x 2>&1", "ls $x?"],
    ["ls >& a $x", "ls $x? >&a"],
    ["ls >&$x", "ls >&$x?"],
    ["ls $x 2>&-", "ls $x?"],
    ["ls $x > a*", "ls $x? >a*"],
    ["ls > {a,b}", "ls >a >b UNSOUND"],
    ['ls > "$x"', "ls >$x?"],
    ["x='a b'; ls > $x", "x=a b; ls >a? >b? UNSOUND"],
    ['cat <<< "$(rm a)"', "rm a; cat <<<$_?"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("variables", () => {
  it.each([
    ["a[$(rm b)]=c ls", "a=c ls UNSOUND EVALUATES"],
    ["x=a; x+=b; rm $x", "x=a; x=b; rm ab?"],
    ["x=a; x=b; rm $x", "x=a; x=b; rm b?"],
    ["x=(rm a); ${x[0]}", "x=rm a?; rm? a? EVALUATES"],
    ["x='rm a'; $x b", "x=rm a; rm? a? b"],
    ["x='rm a'; \"$x\" b", "x=rm a; rm a? b"],
    ["x='rm a' y=$x; $y", "x=rm a y=rm a?; rm? a?"],
    ["x=; rm $x", "x=; rm"],
    ["x=$'a' y=\"b\"; $x", "x=a y=b; a?"],
    ["rm $IFS a", "rm a"],
    ["echo $x ${x}", "echo $x? $x?"],
    ['x=1; echo $x ${x} "$x"', "x=1; echo 1? 1? 1?"],
    ["echo ${x:-$(rm a)}", "rm a; echo $(…)?"],
    ["echo ${x:-b}", "echo b?"],
    ["x=c; echo ${x:-b}", "x=c; echo c?"],
    ["x=c; echo ${x:+b}", "x=c; echo b?"],
    ["echo ${x:=b} $x", "echo b? b? EVALUATES"],
    ["x=c; echo ${x:=b} $x", "x=c; echo c? c? EVALUATES"],
    ["echo ${x:?b}", "echo …?"],
    ["echo ${HOME:?b}", "echo $HOME?"],
    ["x=c; echo ${x:?b}", "x=c; echo c?"],
    ["echo ${!x}", "echo $x? EVALUATES"],
    ["x=y y=z; echo ${!x}", "x=y y=z; echo z? EVALUATES"],
    ["echo ${x[0]}", "echo $x? EVALUATES"],
    ["echo ${x[$(rm a)]}", "rm a; echo $x? UNSOUND EVALUATES"],
    ["echo ${x[$(rm a)]:-b}", "rm a; echo b? UNSOUND EVALUATES"],
    ["echo ${x:1:2}", "echo $x? EVALUATES"],
    ["echo ${x@P}", "echo $x? EVALUATES"],
    ["echo ${#x}", "echo $x?"],
    ["echo ${x%$(rm a)}", "rm a; echo $x?"],
    ["echo ${x/a/$(rm b)}", "rm b; echo $x?"],
    ["echo ${x^}", "echo $x?"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("words", () => {
  it.each([
    ["rm {a,b}c", "rm ac bc"],
    ["rm {a,'b'}", "rm a? b?"],
    ["rm {1..3}", "rm {1..3}?"],
    ["rm {a,{b,c}}", "rm a? b? c?"],
    ["rm {a}$x", "rm {a}$x?"],
    ["rm $x a* [b]", "rm $x? a* [b]"],
    ["rm @(a|b)", "rm @(a|b)?"],
    ["rm @(a|$(ls))", "ls; rm @(a|$(ls))?"],
    ["ls <(rm a)", "rm a; ls /dev/stdin"],
    ["ls >(rm a)", "rm a; ls /dev/stdin?"],
    ["ls $x <(rm a", "rm a; ls $x? /dev/stdin UNSOUND"],
    ["rm 'a b' $'c\\td' \"e $f\" $\"g\"", "rm a b c\td e $f? g?"],
    ["rm $'a", "rm a? UNSOUND"],
    ["rm 'a", "rm a UNSOUND"],
    ['rm "a', "rm a UNSOUND"],
    ["rm a\"b\"'c'$d", "rm abc$d?"],
    ["rm *$(rm a)", "rm a; rm *$(…)?"],
    ['rm *"$(ls)"', "ls; rm *$_?"],
    ["$(echo rm) a", "echo rm; rm? a"],
    ['"$(echo rm)" a', "echo rm; rm? a"],
    ["$(ls) a", "ls; $(…)? a"],
    ['"$(ls)" a', "ls; $_? a"],
    ["$(echo rm; ls) a", "echo rm; ls; $(…)? a"],
    ["$(ls; echo rm) a", "ls; echo rm; $(…)? a"],
    ["$(printf rm) a", "printf rm; rm? a"],
    ["$(rm a", "rm a; $(…)? UNSOUND"],
    ["`echo rm` a", "echo rm; rm? a"],
    ["$() a", "$(…)? a"],
    ["$(x=1) a", "x=1; $(…)? a"],
    ["echo $((1 + 2))", "echo $((…))?"],
    ["echo $((x + 2))", "echo $((…))? UNSOUND EVALUATES"],
    ["echo $((x[$(rm a)]))", "rm a; echo $((…))? UNSOUND EVALUATES"],
  ])("%j is opened to %j", (line, expected) => expect(opened(line)).toBe(expected));
});

describe("limits", () => {
  const nohups = (count: number): string => `${"nohup ".repeat(count)}rm a`;
  const innermost = (command: Command): Command =>
    command.inner[0] === undefined ? command : innermost(command.inner[0]);
  const runs = (line: string): string | undefined => readLine(line).commands.map(innermost).map(shown)[0];

  it("opens eight wrappers in one another, and takes what a ninth runs for unknown", () => {
    expect(runs(nohups(8))).toBe("rm a");
    expect(runs(nohups(9))).toBe("…?");
    expect(runs(`${nohups(8)} $X`)).toBe("rm a $X?");
    expect(runs(`${nohups(9)} $X`)).toBe("…?");
  });
  it("opens a launcher's arguments half as deep", () => {
    const [guess] = readLine(`watch ${nohups(4)}`).commands[0]?.guesses ?? [];
    expect(guess && shown(innermost(guess))).toBe("…?");
    const [shorter] = readLine(`watch ${nohups(3)}`).commands[0]?.guesses ?? [];
    expect(shorter && shown(innermost(shorter))).toBe("rm a");
  });
  it("reads 64 words of a brace expansion, and says that there are more", () => {
    const most = readLine(`rm ${"{a,b}".repeat(6)} $x`);
    expect([most.commands[0]?.words.length, most.sound]).toEqual([66, true]);
    const more = readLine(`rm ${"{a,b}".repeat(7)} $x`);
    expect([more.commands[0]?.words.length, more.commands[0]?.words[1]?.text, more.sound]).toEqual([
      66,
      "aaaaaaa",
      false,
    ]);
  });
  it("reads brackets in one another to a depth of 100", () => {
    const deep = (depth: number): string => `${"( ".repeat(depth)}ls${" )".repeat(depth)}`;
    expect(opened(deep(100))).toBe("ls");
    expect(opened(deep(101))).toBe(" UNSOUND");
    expect(opened("{ ls; }; ".repeat(101))).not.toContain("UNSOUND");
    expect(opened(`${"{ ".repeat(101)}ls${"; }".repeat(101)}`)).toContain("UNSOUND");
  });
});
