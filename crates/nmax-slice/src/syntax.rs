//! A condition as a tree: `or` binds least, then `and`, then `not`.

use crate::SliceError;
use crate::lexer::{LocatedToken, Operator, Token, tokens};

/// Conditions within conditions, at most.
const DEPTH_MAX: usize = 64;
/// Comparisons of a condition, at most.
const COMPARISONS_MAX: usize = 1_000;

/// A condition as typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Any(Vec<Tree>),
    All(Vec<Tree>),
    Not(Box<Tree>),
    Compare(Comparison),
}

/// `COLUMN OPERATOR VALUE`, with their places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) column: (String, usize),
    pub(crate) operator: Operator,
    pub(crate) value: (String, usize),
    /// The value stood between quotes, so it is text and no keyword.
    pub(crate) is_quoted: bool,
}

/// The tree of a condition.
pub(crate) fn parse(part: &str, text: &str) -> Result<Tree, SliceError> {
    let tokens = tokens(part, text)?;
    if tokens.is_empty() {
        let remedy = "write a condition such as `status >= 500`, or leave the flag out";
        return Err(SliceError::new(part, "the condition is empty", remedy));
    }
    let mut parser = Parser { part, tokens: &tokens, next: 0, end: text.chars().count() + 1, comparisons: 0 };
    let tree = parser.any(0)?;
    match parser.peek() {
        None => Ok(tree),
        Some((Token::Close, place)) => {
            Err(SliceError::new(part, "this bracket closes nothing", "take it out, or open one before").at(*place))
        }
        Some((found, place)) => {
            let text = format!("{} does not belong here", shown(found));
            let remedy = "put `and` or `or` between conditions, and quotes around texts with spaces, brackets or `|`";
            Err(SliceError::new(part, text, remedy).at(*place))
        }
    }
}

struct Parser<'a> {
    part: &'a str,
    tokens: &'a [LocatedToken],
    next: usize,
    /// Place behind the last character.
    end: usize,
    comparisons: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a LocatedToken> {
        self.tokens.get(self.next)
    }

    fn take_if(&mut self, wanted: &Token) -> bool {
        let is_it = self.peek().is_some_and(|(token, _)| token == wanted);
        self.next += usize::from(is_it);
        is_it
    }

    fn any(&mut self, depth: usize) -> Result<Tree, SliceError> {
        let mut parts = vec![self.all(depth)?];
        while self.take_if(&Token::Or) {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Tree::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Tree, SliceError> {
        let mut parts = vec![self.one(depth)?];
        while self.take_if(&Token::And) {
            parts.push(self.one(depth)?);
        }
        Ok(one_or(parts, Tree::All))
    }

    fn one(&mut self, depth: usize) -> Result<Tree, SliceError> {
        if depth > DEPTH_MAX {
            let text = format!("more than {DEPTH_MAX} conditions within each other");
            return Err(self.wrong(&text, "write it flatter"));
        }
        if self.take_if(&Token::Not) {
            return Ok(Tree::Not(Box::new(self.one(depth + 1)?)));
        }
        let opened = self.peek().map_or(self.end, |(_, place)| *place);
        if self.take_if(&Token::Open) {
            let inner = self.any(depth + 1)?;
            if !self.take_if(&Token::Close) {
                let error = self.wrong("`)` is missing here", "close the bracket");
                return Err(SliceError { text: format!("`)` is missing for the bracket of column {opened}"), ..error });
            }
            return Ok(inner);
        }
        self.comparison().map(Tree::Compare)
    }

    fn comparison(&mut self) -> Result<Comparison, SliceError> {
        self.comparisons += 1;
        if self.comparisons > COMPARISONS_MAX {
            let text = format!("more than {COMPARISONS_MAX} comparisons");
            return Err(self.wrong(&text, "use one regular expression in place of many comparisons"));
        }
        let column = match self.peek() {
            Some((Token::Word(name), place)) => (name.clone(), *place),
            _ => {
                return Err(self.wrong("a column should stand here", "write a comparison such as `status >= 500`"));
            }
        };
        self.next += 1;
        let operator = match self.peek() {
            Some((Token::Operator(operator), _)) => *operator,
            _ => {
                let text = format!("`{}` is compared with nothing", column.0);
                let remedy = "write one of = != < <= > >= ~ !~ and a value behind the column";
                return Err(self.wrong(&text, remedy));
            }
        };
        self.next += 1;
        let (value, is_quoted) = match self.peek() {
            Some((Token::Word(value), place)) => ((value.clone(), *place), false),
            Some((Token::Quoted(value), place)) => ((value.clone(), *place), true),
            _ => {
                let text = format!("expected a value after `{} {}`", column.0, operator.text());
                return Err(
                    self.wrong(&text, "write a number, or a text; texts with spaces, brackets or `|` in quotes")
                );
            }
        };
        self.next += 1;
        Ok(Comparison { column, operator, value, is_quoted })
    }

    fn wrong(&self, text: &str, remedy: &str) -> SliceError {
        let (found, place) = match self.peek() {
            Some((token, place)) => (format!(", not {}", shown(token)), *place),
            None => (String::new(), self.end),
        };
        SliceError::new(self.part, format!("{text}{found}"), remedy).at(place)
    }
}

fn one_or(mut parts: Vec<Tree>, join: fn(Vec<Tree>) -> Tree) -> Tree {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
        None => join(parts),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(text) => format!("`{text}`"),
        Token::Quoted(text) => format!("the text `{text}`"),
        Token::Operator(operator) => format!("`{}`", operator.text()),
        Token::And => "`and`".to_owned(),
        Token::Or => "`or`".to_owned(),
        Token::Not => "`not`".to_owned(),
        Token::Open => "`(`".to_owned(),
        Token::Close => "`)`".to_owned(),
    }
}
